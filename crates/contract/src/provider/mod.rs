//! Provider shapes: a transcript as Anthropic Messages, OpenAI Chat Completions, OpenAI Responses or
//! Gemini contents write it, and back.
//!
//! Each provider has a folder with three functions: `encode` (our messages to the part of a request
//! that carries them), `decode` (a request or response body to our messages) and `validate` (what the
//! provider would refuse, and why). [`repair`] makes any transcript sendable first.
//!
//! What a message says is a list of [`Part`]s. A block only its provider can read (thinking, encrypted
//! reasoning, server tools, anything unknown) is kept word for word as an opaque part, in its place;
//! fields that came with a block we do have a word for ride along as [`ProviderFields`]. Both go back
//! to the same provider unchanged. What a format cannot carry is told as a [`Loss`], never dropped in
//! silence. Ids of messages, times, turn numbers and other metadata are our own bookkeeping: no
//! provider is told of them, and that is no loss.

pub mod anthropic;
mod body;
mod detect;
mod encoded;
mod fields;
mod flatten;
pub mod gemini;
mod growing;
mod item;
mod media;
mod names;
pub mod openai_chat;
pub mod openai_responses;
mod order;
mod pairs;
mod part;
mod prepare;
mod provider_name;
mod read;
mod refusal;
#[cfg(test)]
mod refusal_tests;
mod repair;
mod segment;
mod substance;
mod system;
mod write;

pub use detect::Shape;
pub use encoded::{Encoded, Loss};
pub use fields::ProviderFields;
pub use growing::{Growing, Grown, request_text};
pub use media::{Media, MediaKind, Source};
pub use names::{IdentityNames, ToolNames};
pub use part::Part;
pub use provider_name::Provider;
pub use refusal::{Refusal, Rule};
pub use repair::{Change, Mend, RepairMode, Repaired, repair, repair_owned};
pub use substance::substance;
