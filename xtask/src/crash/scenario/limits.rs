//! Runs that reach a limit.

use super::script::{Does, Scenario};
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let limited = |name| Scenario::new(name, work()).ends("budget_exceeded");
    vec![
        limited("budget-turns").spec(|spec| {
            spec.budgets.insert("turns".into(), 2);
        }),
        limited("budget-calls").spec(|spec| {
            spec.budgets.insert("tool_calls".into(), 3);
        }),
        limited("budget-calls-of-a-tool").spec(|spec| {
            spec.budgets.insert("tool_calls_garden/water".into(), 2);
        }),
        // A lost call is charged as reserved: the run may stop a turn earlier.
        limited("budget-tokens").loosely().spec(|spec| {
            spec.budgets.insert("tokens".into(), 20);
        }),
        Scenario::new("budget-tokens-is-enough", work()).spec(|spec| {
            spec.budgets.insert("tokens".into(), 60);
        }),
        hanging("tool-times-out"),
        hanging("tool-times-out-and-asks").forgets(),
        Scenario::new(
            "stall",
            [
                calls([("a", "garden/look", 1)]),
                calls([("b", "garden/look", 1)]),
                calls([("c", "garden/look", 1)]),
                says("Never said."),
            ],
        )
        .spec(|spec| spec.limits.repetitions = Some(3))
        .ends("stalled"),
    ]
}

/// One call that changes something and one that reads are never replied to; others are. After a death the call
/// that hung may be asked about instead.
fn hanging(name: &'static str) -> Scenario {
    Scenario::new(
        name,
        [
            calls([("a", "garden/water", 1), ("b", "garden/plant", 1)]),
            calls([("c", "garden/look", 1)]),
            says("It took too long."),
        ],
    )
    .does("a", Does::Hangs)
    .does("c", Does::Hangs)
    .spec(|spec| spec.limits.tool_ms = 5_000)
    .slow()
}

fn work() -> [Turn; 4] {
    [
        calls([("a", "garden/look", 1), ("b", "garden/water", 1)]),
        calls([("c", "garden/water", 2), ("d", "garden/look", 2)]),
        calls([("e", "garden/plant", 1)]),
        says("Done."),
    ]
}
