//! What a provider adapter returns for one turn, and the calls a model wrote as plain text.

mod call;
mod extract;
mod turn;

pub use call::RequestedCall;
pub use extract::extract_tool_calls;
pub use turn::{CallSource, ProviderTurn, StructuredAnswer};
