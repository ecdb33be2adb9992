//! Runs that only look: turns, calls at once, and models that err.

use super::script::{Does, Scenario};
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("no-call", [says("All is well.")]),
        Scenario::new("plain-loop", [calls([("a", "garden/look", 1)]), says("All is well.")]),
        Scenario::new(
            "several-turns",
            [
                calls([("a", "garden/look", 1)]),
                calls([("b", "garden/smell", 2)]),
                calls([("c", "garden/measure", 3)]),
                calls([("d", "garden/look", 4)]),
                says("Enough."),
            ],
        ),
        Scenario::new(
            "parallel-reads",
            [
                calls([("a", "garden/look", 1), ("b", "garden/smell", 2), ("c", "garden/measure", 3)]),
                calls([("d", "garden/smell", 1), ("e", "garden/look", 2)]),
                says("All is well."),
            ],
        ),
        Scenario::new(
            "failing-tool",
            [calls([("a", "garden/look", 1)]), calls([("b", "garden/look", 1)]), says("Now it worked.")],
        )
        .does("a", Does::Fails),
        Scenario::new(
            "unknown-tool",
            [calls([("a", "garden/fly", 1), ("b", "garden/look", 1)]), says("I cannot fly.")],
        ),
        Scenario::new("model-fails-once", [calls([("a", "garden/note", 1)]), Turn::Fails { retry: false }])
            .ends("failed"),
    ]
}
