//! The command: which scenarios, and how they are cut.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::report::Report;
use super::scenario::{Scenario, corpus, named};
use super::{faults, io, points, power, random, real};
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
    /// Cut at random, by this seed: several cuts a play
    #[arg(long)]
    seed: Option<u64>,
    /// How many random plays
    #[arg(long, default_value_t = 1_000, requires = "seed")]
    runs: u64,
    /// Let single operations of the store go wrong
    #[arg(long)]
    store: bool,
    /// Kill real processes over a database file
    #[arg(long)]
    real: bool,
    /// Let the disk fail under a process, and rebuild files as power loss could leave them
    #[arg(long)]
    io: bool,
    /// How many files are rebuilt
    #[arg(long, default_value_t = 300, requires = "io")]
    states: u64,
    /// How many processes are killed
    #[arg(long, default_value_t = 300, requires = "real")]
    kills: u64,
}

impl Options {
    /// Every n-th point of every scenario.
    pub(crate) fn points(stride: usize) -> Self {
        Self {
            scenario: None,
            stride,
            seed: None,
            runs: 0,
            store: false,
            real: false,
            io: false,
            states: 0,
            kills: 0,
        }
    }

    /// Every n-th operation of the store goes wrong.
    pub(crate) fn store(stride: usize) -> Self {
        Self { store: true, ..Self::points(stride) }
    }

    /// A few real kills.
    pub(crate) fn kills(kills: u64) -> Self {
        Self { real: true, kills, ..Self::points(1) }
    }
}

/// Cuts every scenario at every point, or at random, or by killing real processes.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let scenarios = match &options.scenario {
        Some(name) => vec![named(name)?],
        None => corpus(),
    };
    let (stride, seed) = (options.stride.max(1), options.seed.unwrap_or(1));
    let mut report = Report::default();
    if options.real {
        real::kill(&scenarios, seed, options.kills, &mut report)?;
        return report.finish(&format!("{} kills, seed {seed}, ", options.kills), "plays");
    }
    if options.io {
        if !io::is_possible() {
            return Ok(());
        }
        io::every(stride, &mut report)?;
        report.finish("failing calls, ", "children")?;
        let mut report = Report::default();
        power::states(seed, options.states, &mut report)?;
        return report.finish("power loss, ", "states");
    }
    if options.store {
        each(&scenarios, &mut report, |scenario, report| faults::every(scenario, stride, report))?;
        return report.finish("store troubles, ", "operations");
    }
    if options.seed.is_some() {
        random::plays(&scenarios, seed, options.runs, &mut report)?;
        return report.finish(&format!("seed {seed}, "), "plays");
    }
    each(&scenarios, &mut report, |scenario, report| points::every(scenario, stride, report))?;
    report.finish(&format!("{} scenarios, ", scenarios.len()), "points")
}

/// Works on the scenarios on every core. Each play has its own thread of time.
fn each(
    scenarios: &[Arc<Scenario>],
    report: &mut Report,
    work: impl Fn(&Arc<Scenario>, &mut Report) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let one_thread = || {
        let mut own = Report::default();
        while let Some(scenario) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = work(scenario, &mut own) {
                problems.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string());
            }
        }
        own
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(one_thread)).collect();
        for thread in threads {
            match thread.join() {
                Ok(own) => report.add(&own),
                Err(_) => {
                    problems
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push("a play panicked".to_owned());
                }
            }
        }
    });
    let problems = problems.into_inner().unwrap_or_else(PoisonError::into_inner);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("; ").into()) }
}
