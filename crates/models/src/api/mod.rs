//! What differs between providers: one folder each, behind one trait.
//!
//! An `Api` writes a request body, puts a streamed answer together to the very body an unstreamed one
//! has, and says what its fields mean. It sends nothing and waits for nothing.

mod anthropic;
mod assembler;
#[cfg(test)]
mod assembler_tests;
mod contract;
mod finish;
mod gemini;
mod kind;
mod openai;
mod openai_chat;
mod openai_responses;
mod usage;

pub(crate) use assembler::{Assembler, OnDelta, Progress};
pub(crate) use contract::{Api, KeyHeader, Route};
pub(crate) use finish::Finish;
pub use kind::ApiKind;
pub(crate) use usage::Usage;
