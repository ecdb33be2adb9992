//! Tools from a closure, from a type, or from a source of several.

mod call;
mod definition;
mod error;
mod output;
mod registry;
mod source;
mod typed;

pub use call::Call;
pub(crate) use definition::schema_of;
pub use definition::{EffectStatus, Tool};
pub use error::ToolError;
pub use output::{Citation, ToolOutput, ToolReply};
pub(crate) use registry::Registry;
pub use source::ToolSource;
pub(crate) use source::Toolbox;
pub use typed::TypedTool;
