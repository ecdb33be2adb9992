//! Putting foreign text into a page a model reads, so that it cannot pretend to be part of the page.
//!
//! Two things give the page its shape: turn tags and code fences, with a few headings of ours. Text of
//! users, tools and models can contain none of them in a place where they would count.

mod fence;
mod line;
mod prose;
mod turn_tags;

pub(crate) use fence::{Language, write_fenced};
pub(crate) use line::{code_span, one_line};
pub(crate) use prose::write_prose;
pub(crate) use turn_tags::{neutral, neutral_json};
