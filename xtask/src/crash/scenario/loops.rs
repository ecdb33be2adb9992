//! Runs that only look: loops, turns, calls at once, and models that err.

use serde_json::json;

use super::script::{Scenario, calls, failed, says, succeeded};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = loops();
    scenarios.extend(errors());
    scenarios
}

fn loops() -> Vec<Scenario> {
    let many_turns = TURN_IDS.map(|id| calls([(id, "garden/look", 1)])).into_iter();
    vec![
        Scenario::new("no-call", [says("All is well.")]),
        Scenario::new("plain-loop", [calls([("a", "garden/look", 1)]), says("All is well.")]),
        Scenario::new("several-turns", many_turns.chain([says("Enough.")])),
        Scenario::new(
            "parallel-reads",
            [
                calls([("a", "garden/look", 1), ("b", "garden/smell", 2), ("c", "garden/look", 3)]),
                calls([("d", "garden/smell", 1), ("e", "garden/look", 2)]),
                says("All is well."),
            ],
        ),
        Scenario::new("large-batch", [calls(READS), says("Seen.")]),
        Scenario::new(
            "host-turns",
            [
                json!({ "more": [{ "role": "assistant", "content": "Well." }], "usage": { "total_tokens": 4 } }),
            ],
        ),
        Scenario::new(
            "structured-output",
            [json!({ "provider": {
                "content": "{\"dry\":true}",
                "structured_output": { "parsed": { "dry": true }, "diagnostics": { "status": "valid" } },
            } })],
        )
        .options(json!({
            "tool_declarations": null,
            "structured_output": { "schema": { "type": "object" }, "name": "bed" },
        })),
    ]
}

/// The names of calls, one a turn.
const TURN_IDS: [&str; 6] = ["t1", "t2", "t3", "t4", "t5", "t6"];

const READS: [(&str, &str, i64); 10] = [
    ("a", "garden/look", 1),
    ("b", "garden/look", 2),
    ("c", "garden/smell", 3),
    ("d", "garden/look", 4),
    ("e", "garden/smell", 5),
    ("f", "garden/look", 6),
    ("g", "garden/look", 7),
    ("h", "garden/smell", 8),
    ("i", "garden/look", 9),
    ("j", "garden/smell", 10),
];

fn errors() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "failing-tool",
            [calls([("a", "garden/look", 1)]), calls([("b", "garden/look", 1)]), says("Now it worked.")],
        )
        .replies("a", failed("The gate is shut.")),
        Scenario::new("throwing-executor", [calls([("a", "garden/water", 1)]), says("It broke.")])
            .throws("a", "The hose burst."),
        Scenario::new(
            "unknown-tool",
            [calls([("a", "garden/fly", 1), ("b", "garden/look", 1)]), says("I cannot fly.")],
        ),
        Scenario::new(
            "identical-failures",
            [
                calls([("a", "garden/look", 1)]),
                calls([("b", "garden/look", 1)]),
                calls([("c", "garden/look", 1)]),
                says("I give up."),
            ],
        )
        .replies("garden/look", failed("The gate is shut."))
        .options(json!({ "identical_failure_tracker": { "threshold": 2 } })),
        Scenario::new("truncated-result", [calls([("a", "garden/look", 1)]), says("Long.")])
            .replies("a", succeeded(json!({ "text": "leaf ".repeat(200) })))
            .options(json!({ "tool_result_truncator": { "max_bytes": 200 } })),
        Scenario::new("model-fails", [calls([("a", "garden/water", 1)])]).ends("failed"),
        Scenario::new(
            "reported-failure",
            [
                calls([("a", "garden/note", 1)]),
                json!({ "failure": { "type": "overloaded", "message": "Later." } }),
            ],
        )
        .ends("failed"),
    ]
}
