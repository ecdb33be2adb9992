//! W5: from the start of a process to the end of its first turn, in memory and with a fresh file.

use serde_json::json;

use super::{Job, process};
use crate::Failure;
use crate::bench::measure::{Measurement, timed};

const RUNS: usize = 11;

/// Measures both, one after the other in every round.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let (mut memory, mut file) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let folder = tempfile::tempdir()?;
        let job = Job { turns: 1, conversations: 1, ..Job::default() };
        memory.push(start_to_end(&job)?);
        file.push(start_to_end(&Job { database: Some(folder.path().join("fresh.db")), ..job })?);
    }
    let of = |storage: &str, runs| Measurement {
        workload: "W5",
        params: json!({ "storage": storage }),
        metric: "wall_s",
        unit: "s",
        runs,
    };
    Ok(vec![of("memory", memory), of("sqlite", file)])
}

fn start_to_end(job: &Job) -> Result<f64, Failure> {
    let mut command = job.command()?;
    let (output, seconds) = timed(|| command.output());
    process::told(&output?)?;
    Ok(seconds)
}
