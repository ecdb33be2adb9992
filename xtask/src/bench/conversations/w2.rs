//! W2: the same with every step durable in SQLite, beside a plain table that keeps the same bytes.
//!
//! A step is an answer of the model or a result of the tool. Disks have good and bad minutes, so the
//! plain table is measured in every round, and ratios are those of one round.

use serde_json::{Value, json};

use super::Job;
use crate::Failure;
use crate::bench::measure::Measurement;

const LENGTHS: [u64; 2] = [100, 400];
const AT_ONCE: u64 = 64;
const RUNS: usize = 5;

/// What was measured at one length.
#[derive(Default)]
struct Rounds {
    reference: Vec<f64>,
    steps: Vec<f64>,
    ratio: Vec<f64>,
    written: Vec<f64>,
    reference_written: Vec<f64>,
    cpu: Vec<f64>,
    at_once: Vec<f64>,
    at_once_ratio: Vec<f64>,
}

/// Measures every length.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for turns in LENGTHS {
        let mut rounds = Rounds::default();
        for _ in 0..RUNS {
            rounds.add(turns)?;
        }
        measurements.extend(rounds.told(turns));
    }
    Ok(measurements)
}

impl Rounds {
    fn add(&mut self, turns: u64) -> Result<(), Failure> {
        let folder = tempfile::tempdir()?;
        let job = |name: &str| Job {
            turns,
            conversations: 1,
            database: Some(folder.path().join(name)),
            ..Job::default()
        };
        let steps = (2 * turns + 1) as f64;
        let reference = Job { reference: true, ..job("reference.db") }.run()?;
        let one = job("one.db").run()?;
        let many = Job { conversations: AT_ONCE, ..job("many.db") }.run()?;
        let per_second = steps / one.seconds;
        let at_once = steps * AT_ONCE as f64 / many.seconds;
        self.reference.push(steps / reference.seconds);
        self.reference_written.push(reference.written_bytes / steps / 1_024.0);
        self.steps.push(per_second);
        self.ratio.push(per_second * reference.seconds / steps);
        self.written.push(one.written_bytes / steps / 1_024.0);
        self.cpu.push(one.cpu_seconds / steps * 1e6);
        self.at_once.push(at_once);
        self.at_once_ratio.push(at_once / per_second);
        Ok(())
    }

    fn told(self, turns: u64) -> Vec<Measurement> {
        let of =
            |params: Value, metric, unit, runs| Measurement { workload: "W2", params, metric, unit, runs };
        let (one, many) = (json!({ "n": turns }), json!({ "n": turns, "conversations": AT_ONCE }));
        let plain = json!({ "n": turns, "peer": "ref/sqlite-append" });
        vec![
            of(plain.clone(), "steps", "steps/s", self.reference),
            of(plain, "written_per_step", "KiB", self.reference_written),
            of(one.clone(), "steps", "steps/s", self.steps),
            of(one.clone(), "of_reference", "x", self.ratio),
            of(one.clone(), "written_per_step", "KiB", self.written),
            of(one, "cpu_per_step", "us", self.cpu),
            of(many.clone(), "steps", "steps/s", self.at_once),
            of(many, "of_one_conversation", "x", self.at_once_ratio),
        ]
    }
}
