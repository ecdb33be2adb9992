//! Properties of the contract: what holds for every value, not only for those somebody wrote down.

mod any_json;
mod redaction;
mod tool_aliases;
mod tool_normal_forms;
