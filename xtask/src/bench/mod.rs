//! `cargo xtask bench`: what the product costs, measured on the workloads other runtimes are measured on.
//!
//! A workload builds its input, runs the real code, checks the final state and only then reports.

mod command;
mod conversations;
mod measure;
mod protocol_parse;
mod start;
mod transcript;
mod w3;
mod w6;

pub(crate) use command::{Options, run};
pub(crate) use conversations::{Job, run_child};
