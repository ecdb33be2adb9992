//! Views of a run, computed from its state and events and never edited.

mod diagnostics;
mod observer;
mod result;
mod tools;

pub use observer::observed;
pub use result::conversation_result;
pub use tools::{ToolRecords, execution_results, tool_records};
