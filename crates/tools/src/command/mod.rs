//! Command tools: a tool that is a program and a few lines of configuration.
//!
//! The program reads the parameters as JSON on its standard input and prints its result as JSON. It runs
//! under the same limits as `shell/run`.

mod spec;
mod tool;

pub use spec::CommandSpec;
pub(crate) use tool::CommandTool;
