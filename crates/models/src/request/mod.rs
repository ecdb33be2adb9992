//! One turn's request in words every provider has: how to answer, what to read, which tools there are.

mod diagnostics;
mod offered;
mod provider_request;
mod reasoning;
mod sent;
mod settings;
mod tool_choice;

pub(crate) use offered::OfferedTool;
pub(crate) use provider_request::ProviderRequest;
pub use reasoning::{Effort, Reasoning};
pub(crate) use sent::Sent;
pub use settings::{ParallelCalls, PromptCache, Settings};
pub use tool_choice::ToolChoice;
