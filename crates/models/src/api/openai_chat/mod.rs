//! OpenAI Chat Completions, and every server compatible with them.

mod api;
mod calls;
mod read;
mod stream;
mod write;

pub(super) use api::OpenaiChat;
