//! What a turn will read and may write, told before it is asked for.

use provost_contract::json::Object;
use provost_contract::message::text_bytes;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Model, Reservation, TurnRequest};
use serde_json::json;

/// What is known of a turn before it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The model that will be asked.
    pub model: String,
    /// About as many tokens will be read.
    pub prompt_tokens: u64,
    /// The most tokens that the answer may have; 0 without a limit.
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

/// Text and JSON of every language have more bytes a token than this, on the whole.
const BYTES_PER_TOKEN: u64 = 3;
/// What every request says beside transcript and tools: the model, its settings, the frame.
const REQUEST_BYTES: u64 = 256;
/// What a provider's shape adds to a tool.
const TOOL_BYTES: u64 = 32;

/// About how many tokens a turn reads: the transcript, which counts itself as it grows, and what stands beside it.
pub(crate) fn prompt_tokens(request: &TurnRequest<'_>, extra: &Object) -> u64 {
    let tool = |tool: &ToolDeclaration| {
        let (name, description) = (tool.name().as_str(), tool.description());
        text_bytes(&json!([name, description, tool.rules().model_schema()])).saturating_add(TOOL_BYTES)
    };
    let tools = request.tools.tools().iter().map(tool).fold(REQUEST_BYTES, u64::saturating_add);
    let beside = text_bytes(&json!([request.structured_output, extra]));
    let bytes = request.messages.text_bytes().saturating_add(tools).saturating_add(beside);
    bytes.div_ceil(BYTES_PER_TOKEN)
}
