//! W4: many conversations at once, with a model that takes its time.

use serde_json::json;

use super::Job;
use crate::Failure;
use crate::bench::measure::Measurement;

const CONVERSATIONS: [u64; 2] = [1_000, 10_000];
const TURNS: u64 = 20;
const PAUSE_MS: u64 = 50;
const RUNS: usize = 3;

/// Measures every number of conversations.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for conversations in CONVERSATIONS {
        let (mut times, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let told = Job { turns: TURNS, conversations, pause_ms: PAUSE_MS, ..Job::default() }.run()?;
            times.push(told.seconds);
            memory.push(told.grown_kib / conversations as f64);
        }
        let of = |metric, unit, runs| Measurement {
            workload: "W4",
            params: json!({ "conversations": conversations, "n": TURNS, "pause_ms": PAUSE_MS }),
            metric,
            unit,
            runs,
        };
        measurements.extend([of("wall_s", "s", times), of("memory_each", "KiB", memory)]);
    }
    Ok(measurements)
}
