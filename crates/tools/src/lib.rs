//! What an agent works with: files of a workspace, commands, HTTP and people.
//!
//! A tool declares what it takes and what it may change, does its work within limits, and can say
//! beforehand what it would do. Whether it may be called at all is not decided here.

mod blocking;
mod bounds;
mod command;
mod declare;
mod environment;
mod fs;
mod http;
mod human;
mod limits;
mod pipes;
mod preview;
mod process;
mod refusal;
mod registry;
mod registry_error;
mod reply;
mod schema;
mod shell;
pub mod supervise;
mod tool;
mod workspace;

pub use bounds::Bounds;
pub use command::CommandSpec;
pub use environment::Environment;
pub use http::{HostRule, HostRuleError, HttpAccess, HttpLimits};
pub use limits::{FileLimits, Limits, ProcessLimits};
pub use preview::Preview;
pub use refusal::Refusal;
pub use registry::Tools;
pub use registry_error::RegistryError;
pub use reply::Reply;
pub use tool::Tool;
pub use workspace::{GOVERNING_NAMES, OpenError, Workspace};
