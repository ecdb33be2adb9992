//! Anthropic Messages.

mod api;
mod cache;
mod read;
mod stream;
mod write;

pub(super) use api::Anthropic;
