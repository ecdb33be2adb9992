//! Structured output: asking a provider for JSON of a given shape, and checking what came back.

mod check;
mod request;

pub use check::{Mismatch, check};
pub use request::StructuredOutputRequest;
