//! The command: which workloads to run, and always in release.

use std::process::Command;

use super::measure::Measurement;
use super::{conversations, protocol_parse, start, transcript, w3, w6};
use crate::Failure;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only these workloads, such as W6 [default: all]
    workloads: Vec<String>,
    /// Print one JSON object a measurement
    #[arg(long)]
    json: bool,
}

type Workload = fn() -> Result<Vec<Measurement>, Failure>;

const WORKLOADS: &[(&str, Workload)] = &[
    ("W1", conversations::w1),
    ("W2", conversations::w2),
    ("W3", w3::run),
    ("W4", conversations::w4),
    ("W5", conversations::w5),
    ("W6", w6::run),
    ("W7", conversations::w7),
    ("idle", conversations::idle),
    ("protocol-parse", protocol_parse::run),
    ("start", start::run),
    ("transcript", transcript::run),
];

/// Runs the workloads and prints their measurements.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if let Some(unknown) =
        options.workloads.iter().find(|name| !WORKLOADS.iter().any(|(known, _)| known == name))
    {
        let known: Vec<&str> = WORKLOADS.iter().map(|(name, _)| *name).collect();
        return Err(format!("no workload is called {unknown}; there is {}", known.join(", ")).into());
    }
    if cfg!(debug_assertions) {
        return run_in_release(options);
    }
    for (name, workload) in WORKLOADS {
        if !options.workloads.is_empty() && !options.workloads.iter().any(|asked| asked == name) {
            continue;
        }
        for measurement in workload()? {
            println!("{}", if options.json { measurement.to_json() } else { measurement.to_line() });
        }
    }
    Ok(())
}

/// A debug build says nothing about speed: builds this very command in release and lets it answer.
fn run_in_release(options: &Options) -> Result<(), Failure> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]);
    command.args(options.json.then_some("--json")).args(&options.workloads);
    let status = command.current_dir(crate::workspace_root()).status()?;
    if status.success() { Ok(()) } else { Err("the benchmark failed in release".into()) }
}
