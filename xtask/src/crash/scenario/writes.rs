//! Runs that change something: once, by key, beside each other and beside reads.

use serde_json::json;

use super::script::{Recall, Scenario, calls, failed, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let both = [("remembered", Recall::Remembers), ("asked", Recall::Forgets)];
    let mut scenarios = keyed();
    scenarios.extend(both.into_iter().flat_map(|(word, recall)| once(word, recall)));
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

/// What cannot be repeated: the executor remembers what became of it, or people are asked.
fn once(word: &'static str, recall: Recall) -> Vec<Scenario> {
    let remembered = recall == Recall::Remembers;
    let name = |if_remembered: &'static str, if_asked: &'static str| {
        debug_assert!(if_remembered.ends_with(word) || if_asked.ends_with(word), "names say who knows");
        if remembered { if_remembered } else { if_asked }
    };
    let scenarios = vec![
        Scenario::new(
            name("write-remembered", "write-asked"),
            [calls([("a", "garden/water", 1)]), says("Watered.")],
        ),
        Scenario::new(
            name("writes-in-turn-remembered", "writes-in-turn-asked"),
            [
                calls([("a", "garden/water", 1)]),
                calls([("b", "garden/plant", 1)]),
                calls([("c", "garden/water", 1)]),
                says("Done."),
            ],
        ),
        Scenario::new(
            name("writes-at-once-remembered", "writes-at-once-asked"),
            [
                calls([("a", "garden/water", 1), ("b", "garden/plant", 2), ("c", "garden/water", 3)]),
                says("Done."),
            ],
        ),
        Scenario::new(
            name("mixed-batch-remembered", "mixed-batch-asked"),
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
            name("write-that-fails-remembered", "write-that-fails-asked"),
            [
                calls([("a", "garden/water", 1), ("b", "garden/look", 1)]),
                calls([("c", "garden/water", 1)]),
                says("Watered at last."),
            ],
        )
        .replies("a", failed("The tank is empty.")),
    ];
    scenarios.into_iter().map(|scenario| scenario.recall(recall).options(json!({}))).collect()
}
