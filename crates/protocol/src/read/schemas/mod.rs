//! The two forms of a declaration as JSON Schema, for editors and programs that write them.
//!
//! The schemas speak of shape alone. Whether a tool exists, arguments fit, references lead somewhere and
//! the graph can end is decided when a message is read.

mod flat;
mod full;
mod parts;

pub use flat::flat_schema;
pub use full::full_schema;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
