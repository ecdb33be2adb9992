//! Embeds untrusted text in a page that a model reads, so that it cannot imitate a part of the page.
//!
//! The page is structured by turn tags, code fences and a few headings. Text of
//! users, tools and models cannot contain any of them where they would take effect.

mod fence;
mod line;
mod prose;
mod turn_tags;

pub(crate) use fence::{Language, write_fenced};
pub(crate) use line::{code_span, one_line};
pub(crate) use prose::write_prose;
pub(crate) use turn_tags::{neutral, neutral_json};
