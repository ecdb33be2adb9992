//! OpenAI Responses: `{instructions, input}`.
//!
//! The input is one flat list of items. A `function_call` and its `function_call_output` share a
//! `call_id` and need not be neighbours. A `reasoning` item goes back as it came, directly before the
//! item it led to. Items keep the ids the provider gave them.

mod clean;
mod decode;
mod encode;
mod items;
mod media;
mod validate;
#[cfg(test)]
mod validate_tests;

pub use decode::decode;
pub use encode::encode;
pub(super) use encode::segment;
pub use validate::validate;
