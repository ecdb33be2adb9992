//! Builds a configured runtime with its policy from the files of a project (`provost.toml`, `agents/*.md`,
//! `AGENTS.md`).
//!
//! ```no_run
//! use provost_project::{ModelSource, Project, RuntimeOptions};
//!
//! # fn main() -> Result<(), provost_project::Failure> {
//! let project = Project::find(".".as_ref())?;
//! let agent = project.agent(None)?;
//! let (_, entry) = project.model(None, Some(&agent))?;
//! let data = project.data_dir()?;
//! let runtime = project.runtime(RuntimeOptions {
//!     agent: Some(&agent),
//!     model: ModelSource::Configured { entry, record: None },
//!     root: &project.root(),
//!     store: data.open()?,
//!     data: Some(&data),
//!     attended: false,
//! })?;
//! # drop(runtime);
//! # Ok(())
//! # }
//! ```
//!
//! The program `provost` uses this crate; so can other programs that work on projects. `provost-policy` makes
//! the decisions; this crate parses the files and supplies facts from the disk and the environment.

mod anchor;
pub mod clock;
mod config;
mod copy;
mod data_dir;
mod effective;
pub mod environment;
mod failure;
mod find;
mod governed;
mod guard;
mod guarded_tools;
mod open;
mod policy;
pub mod runs;
mod runtime;
mod seal;
mod sources;
mod summaries;
pub mod text_file;
mod tools;
mod vocabulary;

pub use config::{
    AgentFile, Color, Colors, Examples, File, Head, ModelEntry, NO_AGENT, Project, Speaks, ToolsPart,
    action_policy, checked, did_you_mean, is_declared, known_budget,
};
pub use data_dir::DataDir;
pub use effective::{Origin, Setting};
pub use failure::{Code, Failure, advice};
pub use guard::{Change, GOVERNED, Guard};
pub use open::anchor_file;
pub use policy::ProjectPolicy;
pub use runtime::{CASSETTE, Limits, MODEL, ModelSource, ProjectRuntime, RuntimeOptions};
pub use vocabulary::MODE;
