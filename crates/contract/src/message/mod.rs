//! One entry of a transcript: the envelope, its projection for providers, and the merging of neighbours.

mod coalesce;
mod envelope;
mod kind;
mod project;
mod serde_form;
mod size;
mod view;

pub use coalesce::coalesce;
pub use envelope::{Content, Message};
pub use kind::MessageType;
pub use project::{to_provider_message, to_provider_messages};
pub use size::text_bytes;
pub(crate) use view::MessageView;
