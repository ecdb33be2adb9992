//! Tools: what a model may ask for, from a closure or from a type.

mod call;
mod definition;
mod error;
mod registry;
mod typed;

pub use call::Call;
pub use definition::Tool;
pub use error::ToolError;
pub(crate) use registry::Registry;
pub use typed::TypedTool;
