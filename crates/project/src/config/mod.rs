//! The files of a project: `provost.toml`, `agents/*.md`, `AGENTS.md`.

mod agent_file;
mod compaction;
mod file;
mod front_matter;
mod model_entry;
mod person;
mod project;
mod rules;
mod suggest;
mod terminal;

pub use agent_file::{AgentFile, Head, NO_AGENT};
pub use file::{File, ToolsPart, action_policy, known_budget};
pub(crate) use file::{line_at, tool_of_budget};
pub use front_matter::Speaks;
pub use model_entry::ModelEntry;
pub(crate) use person::is_adjustment;
pub use project::{Examples, Project};
pub(crate) use rules::shape;
pub use rules::{checked, is_declared};
pub use suggest::did_you_mean;
pub use terminal::{Color, Colors};
