//! The command: which scenarios, and how they are cut.

use std::sync::Arc;

use super::report::Report;
use super::scenario::{Scenario, corpus, named};
use super::{points, random, real, torn};
use crate::Failure;

/// Where to cut.
#[derive(clap::Args, Clone)]
pub(crate) struct Options {
    /// Only this scenario
    #[arg(long)]
    scenario: Option<String>,
    /// Cut at random, by this seed: parallel calls in any order, several cuts a play
    #[arg(long)]
    seed: Option<u64>,
    /// How many random plays
    #[arg(long, default_value_t = 1_000, requires = "seed")]
    runs: u64,
    /// Kill real processes over a database file instead
    #[arg(long)]
    real: bool,
    /// How many processes are killed
    #[arg(long, default_value_t = 200, requires = "real")]
    kills: u64,
}

impl Options {
    /// Every point of every scenario.
    pub(crate) fn points() -> Self {
        Self { scenario: None, seed: None, runs: 0, real: false, kills: 0 }
    }

    /// A few real kills.
    pub(crate) fn kills(kills: u64) -> Self {
        Self { real: true, kills, ..Self::points() }
    }
}

/// Cuts every scenario at every point, or at random, or by killing real processes.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let scenarios = match &options.scenario {
        Some(name) => vec![named(name)?],
        None => corpus(),
    };
    block_on(cut(options, &scenarios))
}

async fn cut(options: &Options, scenarios: &[Arc<Scenario>]) -> Result<(), Failure> {
    let mut report = Report::default();
    let seed = options.seed.unwrap_or(1);
    if options.real {
        real::kill(scenarios, seed, options.kills, &mut report).await?;
        return report.finish(&format!("{} kills, seed {seed}, ", options.kills), "plays");
    }
    if options.seed.is_some() {
        random::plays(scenarios, seed, options.runs, &mut report).await?;
        return report.finish(&format!("seed {seed}, "), "plays");
    }
    for scenario in scenarios {
        points::every(scenario, &mut report).await?;
    }
    torn::every(scenarios, seed, &mut report).await?;
    report.finish(&format!("{} scenarios, ", scenarios.len()), "points")
}

/// Runs a play on one thread, so that a seed is all there is to its order.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(work)
}
