//! The command: which scenarios, and how they are cut.

use super::points;
use super::report::Report;
use super::scenario::{corpus, named};
use crate::Failure;

/// Where to cut.
#[derive(clap::Args, Clone)]
pub(crate) struct Options {
    /// Only this scenario
    #[arg(long)]
    scenario: Option<String>,
    /// Only every n-th point
    #[arg(long, default_value_t = 1)]
    stride: usize,
}

/// Cuts every scenario at every point.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let scenarios = match &options.scenario {
        Some(name) => vec![named(name)?],
        None => corpus(),
    };
    let mut report = Report::default();
    for scenario in &scenarios {
        points::every(scenario, options.stride.max(1), &mut report)?;
    }
    report.finish(&format!("{} scenarios, ", scenarios.len()), "points")
}
