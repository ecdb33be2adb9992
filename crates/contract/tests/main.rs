//! Properties of the contract: what holds for every value, not only for those somebody wrote down.
#![expect(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod agents;
mod any_json;
mod approvals;
mod compaction;
mod corpus;
mod identity;
mod inputs;
mod markdown;
mod message;
mod providers;
mod redaction;
mod results;
mod session_files;
mod sessions;
mod tasks;
mod tool_aliases;
mod tool_normal_forms;
mod tool_pair;
