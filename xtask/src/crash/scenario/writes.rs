//! Runs that change something: once, by key, beside each other and beside reads.

use super::people::Doubt;
use super::script::{Does, Scenario};
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = vec![
        Scenario::new("keyed-write", [calls([("a", "garden/note", 1)]), says("Noted.")]).forgets(),
        Scenario::new(
            "keyed-writes-in-a-row",
            [
                calls([("a", "garden/note", 1), ("b", "garden/note", 2), ("c", "garden/note", 3)]),
                calls([("d", "garden/note", 1)]),
                says("Noted."),
            ],
        )
        .forgets(),
        Scenario::new("write-remembered", [calls([("a", "garden/water", 1)]), says("Watered.")]),
        Scenario::new("write-asked", [calls([("a", "garden/water", 1)]), says("Watered.")]).forgets(),
        Scenario::new("writes-in-turn", in_turn()),
        Scenario::new("writes-in-turn-asked", in_turn()).forgets(),
        Scenario::new("mixed-batch", mixed()),
        Scenario::new("mixed-batch-asked", mixed()).forgets(),
        Scenario::new(
            "write-that-fails",
            [
                calls([("a", "garden/water", 1), ("b", "garden/look", 1)]),
                calls([("c", "garden/water", 1)]),
                says("Watered at last."),
            ],
        )
        .does("a", Does::Fails),
    ];
    scenarios.extend(doubts());
    scenarios.extend(orphans());
    scenarios
}

fn in_turn() -> [Turn; 4] {
    [
        calls([("a", "garden/water", 1)]),
        calls([("b", "garden/plant", 1)]),
        calls([("c", "garden/water", 1)]),
        says("Done."),
    ]
}

fn mixed() -> [Turn; 2] {
    [
        calls([
            ("a", "garden/look", 1),
            ("b", "garden/water", 1),
            ("c", "garden/note", 1),
            ("d", "garden/smell", 1),
            ("e", "garden/plant", 2),
        ]),
        says("Done."),
    ]
}

/// What people say about an attempt that is in doubt, without looking.
fn doubts() -> Vec<Scenario> {
    let two = || [calls([("a", "garden/water", 1), ("b", "garden/look", 1)]), says("Done.")];
    vec![
        // The key makes sure that what is done again is done once.
        Scenario::new(
            "doubt-again",
            [calls([("a", "garden/note", 1), ("b", "garden/look", 1)]), says("Done.")],
        )
        .forgets()
        .doubt(Doubt::Again),
        Scenario::new("doubt-left", two()).forgets().doubt(Doubt::Leave).loosely(),
        Scenario::new("doubt-happened", two()).forgets().doubt(Doubt::Happened).loosely(),
    ]
}

/// An executor outlives its worker.
fn orphans() -> Vec<Scenario> {
    let one = || [calls([("a", "garden/grow", 1), ("b", "garden/look", 1)]), says("Grown.")];
    vec![
        Scenario::new("orphan-lives", one()).does("garden/grow", Does::Outlives).forgets().slow(),
        Scenario::new("orphan-is-ended", one())
            .does("garden/grow", Does::Outlives)
            .forgets()
            .ends_orphans()
            .slow(),
    ]
}
