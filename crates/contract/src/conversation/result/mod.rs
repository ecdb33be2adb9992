//! The result envelope of a conversation run: the surface replay tools and transcript stores pin to.

mod envelope;
mod observability;
mod rule;
mod shape;

pub use envelope::ConversationResult;
pub use observability::{CallStatus, ObservedCall, ToolObservability};
pub use shape::Shape;
