//! Runs that reach a limit.

use serde_json::{Value, json};

use super::script::{Exactness, Scenario, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        limited("budget-turns", json!({ "name": "turns", "ceiling": 2 })),
        limited("budget-calls", json!({ "name": "tool_calls", "ceiling": 3 })),
        limited("budget-calls-of-a-tool", json!({ "name": "tool_calls_garden/water", "ceiling": 2 })),
        limited("budget-tokens", json!({ "name": "tokens", "ceiling": 15 })),
        limited("budget-fan-out", json!({ "name": "fan_out", "ceiling": 1 })),
        // Time that a lost process took is spent: the run may stop a turn earlier.
        limited("budget-wall-clock", json!({ "name": "wall_clock_seconds", "ceiling": 25 }))
            .exactness(Exactness::End),
        Scenario::new("max-turns", work()).options(json!({ "max_turns": 2 })),
        Scenario::new(
            "stall",
            [
                calls([("a", "garden/look", 1)]),
                calls([("b", "garden/look", 1)]),
                calls([("c", "garden/look", 1)]),
                says("Never said."),
            ],
        )
        .options(json!({ "spin_detector": { "threshold": 3 } }))
        .ends("stalled"),
    ]
}

fn limited(name: &'static str, budget: Value) -> Scenario {
    Scenario::new(name, work()).options(json!({ "budgets": [budget] })).ends("budget_exceeded")
}

fn work() -> [Value; 4] {
    [
        calls([("a", "garden/look", 1), ("b", "garden/water", 1)]),
        calls([("c", "garden/water", 2), ("d", "garden/look", 2)]),
        calls([("e", "garden/plant", 1)]),
        says("Done."),
    ]
}
