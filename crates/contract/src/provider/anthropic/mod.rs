//! Anthropic Messages: `{system, messages}`.
//!
//! Instructions stand outside the messages. Neighbouring messages of one role are one turn. A turn of
//! the assistant that holds `tool_use` blocks is answered at the very start of the next user turn, by
//! one `tool_result` for each. Thinking blocks go back signed and unmodified, and never stand last.

mod blocks;
mod decode;
mod encode;
mod media;
mod server_tools;
mod validate;
#[cfg(test)]
mod validate_tests;

pub use decode::decode;
pub use encode::encode;
pub(super) use encode::segment;
pub use validate::validate;
