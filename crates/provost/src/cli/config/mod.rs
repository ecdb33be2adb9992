//! A project's files: `provost.toml`, `agents/*.md`, `AGENTS.md`.

mod agent_file;
mod compaction;
mod file;
mod front_matter;
mod model_entry;
mod project;
mod rules;
mod suggest;

pub(super) use agent_file::AgentFile;
pub(super) use file::{File, ToolsPart, action_policy, known_budget, tool_of_budget};
pub(super) use model_entry::ModelEntry;
pub(super) use project::{Examples, Project};
pub(super) use rules::checked;
pub(super) use suggest::did_you_mean;
