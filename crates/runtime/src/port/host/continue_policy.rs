//! Who says whether another turn follows.

use provost_contract::json::Object;

use super::HostError;
use crate::engine::History;
use crate::port::Boxed;

/// A turn that is over.
#[derive(Clone, Copy, Debug)]
pub struct FinishedTurn<'a> {
    /// The turn.
    pub turn: u64,
    /// The transcript.
    pub messages: &'a History,
    /// The caller's context.
    pub context: &'a Object,
}

/// Asked after every turn nothing else stopped.
pub trait ContinuePolicy: Send + Sync {
    /// Whether another turn follows. A policy that fails stops the run.
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>>;
}
