//! OpenAI Chat Completions: `{messages}`.
//!
//! Instructions are messages of the roles `system` and `developer`. Each call of an assistant message
//! is answered by a `tool` message directly behind it, before any other message. Arguments are JSON
//! text. There is no mark for a failed result and no place for text between calls.

mod decode;
mod encode;
mod media;
mod parts;
mod validate;
#[cfg(test)]
mod validate_tests;

pub use decode::decode;
pub use encode::encode;
pub(super) use encode::segment;
pub use validate::validate;
