//! Runs that change something: once, by key, beside each other and beside reads.

use super::script::{Recall, Scenario, calls, failed, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = keyed();
    scenarios.extend(once("remembered").into_iter().map(|scenario| scenario.recall(Recall::Remembers)));
    scenarios.extend(once("asked").into_iter().map(|scenario| scenario.recall(Recall::Forgets)));
    scenarios
}

fn keyed() -> Vec<Scenario> {
    vec![
        Scenario::new("keyed-write", [calls([("a", "garden/note", 1)]), says("Noted.")]),
        Scenario::new(
            "keyed-writes-at-once",
            [
                calls([("a", "garden/note", 1), ("b", "garden/note", 2), ("c", "garden/note", 3)]),
                calls([("d", "garden/note", 1)]),
                says("Noted."),
            ],
        )
        .recall(Recall::Forgets),
    ]
}

/// What cannot be repeated; the names end in who knows what became of it.
fn once(who: &str) -> Vec<Scenario> {
    vec![
        Scenario::new(format!("write-{who}"), [calls([("a", "garden/water", 1)]), says("Watered.")]),
        Scenario::new(
            format!("writes-in-turn-{who}"),
            [
                calls([("a", "garden/water", 1)]),
                calls([("b", "garden/plant", 1)]),
                calls([("c", "garden/water", 1)]),
                says("Done."),
            ],
        ),
        Scenario::new(
            format!("writes-at-once-{who}"),
            [
                calls([("a", "garden/water", 1), ("b", "garden/plant", 2), ("c", "garden/water", 3)]),
                says("Done."),
            ],
        ),
        Scenario::new(
            format!("mixed-batch-{who}"),
            [
                calls([
                    ("a", "garden/look", 1),
                    ("b", "garden/water", 1),
                    ("c", "garden/note", 1),
                    ("d", "garden/look", 1),
                    ("e", "garden/plant", 2),
                ]),
                says("Done."),
            ],
        ),
        Scenario::new(
            format!("write-that-fails-{who}"),
            [
                calls([("a", "garden/water", 1), ("b", "garden/look", 1)]),
                calls([("c", "garden/water", 1)]),
                says("Watered at last."),
            ],
        )
        .replies("a", failed("The tank is empty.")),
    ]
}
