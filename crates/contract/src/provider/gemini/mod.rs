//! Gemini: `{systemInstruction, contents}`.
//!
//! The roles are `user` and `model`. A model content with `functionCall` parts follows a user content
//! and is followed directly by one content that holds their `functionResponse` parts, as many, and
//! nothing else. A `thoughtSignature` goes back on the very part it came with. Calls may have no id.

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
