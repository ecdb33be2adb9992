//! Gemini.

mod api;
mod read;
mod stream;
mod write;

pub(super) use api::Gemini;
