//! What a turn will read and may write, told before it is asked for.

use provost_runtime::engine::Reservation;
use provost_runtime::port::{Model, TurnRequest};

/// What is known of a turn before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The model that will be asked.
    pub model: String,
    /// About as many tokens will be read.
    pub prompt_tokens: u64,
    /// At most as many will be written; 0 when nobody set a limit.
    pub completion_tokens: u64,
}

impl Forecast {
    /// What to set aside for the turn.
    pub(crate) fn reservation(&self) -> Reservation {
        let tokens = self.prompt_tokens.saturating_add(self.completion_tokens);
        Reservation { tokens, cost_microusd: 0 }
    }
}

/// A model that can say something of a turn before it begins.
pub trait Forecasts: Model {
    /// The forecast; none when nothing will be spent, or the request is one that will be refused.
    fn forecast(&self, request: &TurnRequest<'_>) -> Option<Forecast>;
}
