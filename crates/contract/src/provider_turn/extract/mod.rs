//! Finding the tool calls a model wrote as text, so that providers without native calls can take part.

mod element;
mod json_block;
mod line;
mod tagged;
mod texts;
mod xml;

pub use texts::extract_tool_calls;
