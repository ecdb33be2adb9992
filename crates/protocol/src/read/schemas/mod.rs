//! The JSON Schemas of both forms of a declaration, for editors and generators.
//!
//! The schemas describe structure only. Whether a tool exists, arguments match, references resolve and
//! the graph is acyclic is checked when a message is parsed.

mod flat;
mod full;
mod parts;

pub use flat::flat_schema;
pub use full::full_schema;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
