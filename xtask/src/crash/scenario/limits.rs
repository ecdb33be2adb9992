//! Runs that reach a limit.

use serde_json::{Value, json};

use super::script::{Exactness, Recall, Scenario, calls, says};

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
        Scenario::new("budget-cost", work().map(|turn| costing(turn, 40)))
            .options(json!({ "budgets": [{ "name": "cost_microusd", "ceiling": 70 }] }))
            .ends("budget_exceeded"),
        deep("budget-depth", 3).ends("budget_exceeded"),
        deep("budget-depth-is-enough", 1),
        hanging("tool-timeout-remembered").recall(Recall::Remembers),
        hanging("tool-timeout-asked").recall(Recall::Forgets),
        Scenario::new("max-turns", work()).options(json!({ "max_turns": 2 })).ends("budget_exceeded"),
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

/// What a turn cost.
fn costing(mut turn: Value, microusd: u64) -> Value {
    if let Some(usage) = turn.get_mut("usage").and_then(Value::as_object_mut) {
        usage.insert("cost_microusd".into(), microusd.into());
    }
    turn
}

/// A run below so many others, where two are allowed.
fn deep(name: &'static str, depth: u64) -> Scenario {
    Scenario::new(name, work()).options(json!({
        "budgets": [{ "name": "depth", "ceiling": 3 }],
        "about": { "parent": "run_above", "depth": depth },
    }))
}

/// One call that changes something and one that reads are never replied to; others are.
fn hanging(name: &'static str) -> Scenario {
    Scenario::new(
        name,
        [
            calls([("a", "garden/water", 1), ("b", "garden/plant", 1)]),
            calls([("c", "garden/look", 1)]),
            calls([("d", "garden/water", 2)]),
            says("It took too long."),
        ],
    )
    .hangs("a")
    .hangs("c")
    .options(json!({ "limits": { "tool_ms_max": 5_000 } }))
}

fn work() -> [Value; 4] {
    [
        calls([("a", "garden/look", 1), ("b", "garden/water", 1)]),
        calls([("c", "garden/water", 2), ("d", "garden/look", 2)]),
        calls([("e", "garden/plant", 1)]),
        says("Done."),
    ]
}
