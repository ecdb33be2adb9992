//! `cargo xtask fuzz`: throws mutated vectors at every public operation and looks for a panic or a stall.
//!
//! The inputs of the vectors are the corpus, so mutants are close to what the parsers really read. One
//! seed replays a whole run.

pub(crate) mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value;

use crate::Failure;
use crate::conformance::{Target, targets};

/// One call may not take longer than this; inputs are small.
const STALL: Duration = Duration::from_secs(2);

/// How long and where to look.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long to run
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Stop after this many inputs, whatever the time
    #[arg(long)]
    runs: Option<u64>,
    /// The seed of the run; a failure prints it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this area
    #[arg(long)]
    area: Option<String>,
}

impl Options {
    /// A run of a fixed number of inputs, the same every time.
    pub(crate) fn short(runs: u64) -> Self {
        Self { seconds: 600, runs: Some(runs), seed: 1, area: None }
    }
}

/// Runs mutants until the time is over or one of them fails.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let targets: Vec<Target> = targets()?
        .into_iter()
        .filter(|target| options.area.as_ref().is_none_or(|area| *area == target.area))
        .collect();
    if targets.is_empty() {
        return Err("no operation matches".into());
    }
    let mut rng = Rng::with_seed(options.seed);
    let started = now();
    let mut runs = 0_u64;
    while started.elapsed() < Duration::from_secs(options.seconds)
        && options.runs.is_none_or(|limit| runs < limit)
    {
        let (Some(target), Some(donor)) = (rng.choice(&targets), rng.choice(&targets)) else { break };
        let mutant = mutate::mutate(&target.input, &donor.input, &mut rng);
        attempt(target, &mutant)
            .map_err(|error| format!("{error}\nseed {}, input {runs}: {mutant}", options.seed))?;
        runs += 1;
    }
    println!("fuzz: {runs} mutants of {} vectors, seed {}, no panic, no stall", targets.len(), options.seed);
    Ok(())
}

fn attempt(target: &Target, input: &Value) -> Result<(), Failure> {
    let started = now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&target.op, input)));
    if outcome.is_err() {
        return Err(format!("{} / {} panicked", target.area, target.op).into());
    }
    if started.elapsed() > STALL {
        return Err(format!("{} / {} took {:?}", target.area, target.op, started.elapsed()).into());
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a fuzzer runs for a time its caller chose")]
fn now() -> Instant {
    Instant::now()
}
