//! Runs whose tools are carried out by clients and people, or ask for more.

use super::people::Work;
use super::script::{Does, Scenario};
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new("client-answers", one()),
        Scenario::new("client-answers-among-others", mixed()),
        Scenario::new("client-fails", one()).work(Work::Fails),
        Scenario::new("client-times-out", one())
            .work(Work::Silent)
            .spec(|spec| spec.limits.wait_ms = Some(60_000))
            .slow(),
        Scenario::new("client-write-times-out", mixed())
            .work(Work::Silent)
            .spec(|spec| spec.limits.wait_ms = Some(30_000))
            .slow(),
        Scenario::new(
            "input-is-asked-for",
            [calls([("a", "garden/note", 1), ("b", "garden/look", 1)]), says("Noted.")],
        )
        .does("a", Does::AsksForInput),
    ]
}

fn one() -> [Turn; 2] {
    [calls([("a", "client/open", 1)]), says("Opened.")]
}

fn mixed() -> [Turn; 3] {
    [
        calls([("a", "garden/water", 1), ("b", "client/ring", 1), ("c", "garden/look", 1)]),
        calls([("d", "client/open", 2)]),
        says("Rung."),
    ]
}
