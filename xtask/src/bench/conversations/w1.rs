//! W1: one conversation in memory. A turn must cost the same, however many stand before it.

use serde_json::json;

use super::Job;
use super::process::Told;
use crate::Failure;
use crate::bench::measure::Measurement;

const LENGTHS: [u64; 2] = [100, 1_600];
const RUNS: usize = 9;

/// Measures both lengths, one after the other in every round.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut told = [const { Vec::new() }; LENGTHS.len()];
    for _ in 0..RUNS {
        for (turns, told) in LENGTHS.into_iter().zip(&mut told) {
            told.push(Job { turns, conversations: 1, ..Job::default() }.run()?);
        }
    }
    let mut measurements = Vec::new();
    let mut times = Vec::new();
    for (turns, told) in LENGTHS.into_iter().zip(&told) {
        let of = |metric, unit, value: fn(&Told) -> f64| {
            let runs = told.iter().map(|told| value(told) / turns as f64).collect();
            Measurement { workload: "W1", params: json!({ "n": turns }), metric, unit, runs }
        };
        let cpu = of("cpu_per_turn", "us", |told| told.cpu_seconds * 1e6);
        // A model's own reading grows with the transcript; the rest must not.
        let outside = of("outside_reading", "us", |told| (told.cpu_seconds - told.read_seconds) * 1e6);
        times.push(outside.value());
        measurements.extend([
            of("per_turn", "us", |told| told.seconds * 1e6),
            cpu,
            outside,
            of("memory_per_turn", "KiB", |told| told.grown_kib),
        ]);
    }
    if let [short, long] = times.as_slice() {
        let (params, runs) = (json!({ "n": LENGTHS }), vec![long / short]);
        measurements.push(Measurement { workload: "W1", params, metric: "growth", unit: "x", runs });
    }
    Ok(measurements)
}
