//! Properties of the contract: what holds for every value, not only for those somebody wrote down.
#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod any_json;
mod corpus;
mod identity;
mod message;
mod redaction;
mod results;
mod tool_aliases;
mod tool_normal_forms;
mod tool_pair;
