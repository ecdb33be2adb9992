//! `shell/run`: programs, in a folder of the workspace.

mod quote;
mod run;

pub(crate) use quote::command_line;
pub(crate) use run::Run;
