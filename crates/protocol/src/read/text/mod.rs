//! Text of models: strict JSON, private reasoning, CommonMark fences and sections, and positions in them.

mod document;
mod locate;
mod reasoning;
mod section_name;
mod strict_json;

pub(crate) use document::{Document, Lookup, is_self_contained, joined};
pub(crate) use locate::{line_column, locate};
pub(crate) use reasoning::Visible;
pub(crate) use section_name::section_name;
pub(crate) use strict_json::parse_strict;
