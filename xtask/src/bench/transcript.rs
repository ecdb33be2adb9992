//! Rendering long histories: a turn must cost the same, however many stand before it.
//!
//! Every turn is a run with one call: about 200 bytes of arguments and 1 KB of result. Rendered at once,
//! and turn by turn as a conversation grows.

use provost_contract::action::{ActionId, ActionStatus, ExecutorRef, ExecutorType, Observation};
use provost_protocol::transcript::{Call, Declared, Frontier, GraphStatus, Replay, Run, Transcript, Turn};
use serde_json::json;

use super::measure::{Measurement, timed};
use crate::Failure;

const WORKLOAD: &str = "transcript";
const RUNS: usize = 15;
const LENGTHS: [usize; 2] = [100, 1_000];

/// Renders both lengths under every replay.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for (variant, replay) in
        [("full", Replay::Full), ("compressed", Replay::Compressed), ("hybrid", Replay::default())]
    {
        let mut fastest = Vec::new();
        for length in LENGTHS {
            let turns: Vec<Turn> = (0..length).map(turn).collect::<Result<_, _>>()?;
            let mut runs = Vec::new();
            for _ in 0..RUNS {
                let given = turns.clone();
                let (page, seconds) = timed(|| Transcript::of(given, replay).request(&Frontier::default()));
                if page.matches("### Result for").count() != length {
                    return Err(format!("the page does not show {length} results").into());
                }
                runs.push(seconds * 1e6 / length as f64);
            }
            let of = |metric, unit, runs| Measurement {
                workload: WORKLOAD,
                params: json!({ "variant": variant, "n": length }),
                metric,
                unit,
                runs,
            };
            // A long run is interrupted more often than a short one; the fastest of each is not.
            fastest.push(runs.iter().copied().fold(f64::INFINITY, f64::min));
            measurements.push(of("turn", "us", runs));
        }
        if let [short, long] = fastest.as_slice() {
            measurements.push(Measurement {
                workload: WORKLOAD,
                params: json!({ "variant": variant, "n": LENGTHS }),
                metric: "growth",
                unit: "x",
                runs: vec![long / short],
            });
        }
    }
    Ok(measurements)
}

fn turn(number: usize) -> Result<Turn, Failure> {
    let call = Call {
        id: ActionId::parse(&format!("call_{number}"))?,
        executor: ExecutorRef::named(ExecutorType::Tool, "kb/lookup"),
        operation: None,
        depends: Vec::new(),
        description: None,
        args: json!({ "query": "q".repeat(180), "limit": 10 }).as_object().cloned(),
        prompt: None,
        result: Observation {
            artifacts: vec![format!("artifact://run_{number}/call_{number}")],
            content: "a line of a result that says little\n".repeat(28),
            ..Observation::new(ActionStatus::Completed)
        },
    };
    Ok(Turn::Run(Run {
        id: format!("run_{number}"),
        purpose: Some("Look something up".to_owned()),
        status: GraphStatus::Completed,
        calls: vec![call],
        declared: Declared::default(),
    }))
}
