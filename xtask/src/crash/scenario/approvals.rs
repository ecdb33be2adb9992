//! Runs in which people decide about calls.

use provost_engine::AskStyle;

use super::people::Person;
use super::script::{Does, Scenario};
use super::turns::{Turn, calls, says};

const WATER: &[&str] = &["garden/water"];

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        asked("approval-accepted"),
        asked("approval-accepted-in-doubt").forgets(),
        asked("approval-rejected").person("garden/water", Person::Reject),
        asked("approval-edited").person("garden/water", Person::Edit),
        asked("approval-expired")
            .person("garden/water", Person::Silent)
            .spec(|spec| spec.limits.wait_ms = Some(60_000))
            .slow(),
        asked("approval-with-preview").spec(|spec| spec.hooks.preview = true),
        Scenario::new("policy-forbids", work()).asks_about(WATER, "forbidden"),
        Scenario::new("approvals-of-a-batch", batch())
            .asks_about(WATER, "preview")
            .person("c", Person::Reject),
        Scenario::new("approvals-together", batch())
            .asks_about(WATER, "preview")
            .agent(|agent| agent.ask = AskStyle::Together)
            .person("c", Person::Reject),
        Scenario::new("approval-remembered", batch())
            .asks_about(WATER, "preview")
            .person("a", Person::Remember),
        Scenario::new("approval-remembered-always", batch())
            .asks_about(WATER, "preview")
            .person("a", Person::RememberAlways),
        Scenario::new(
            "approval-of-a-failing-write",
            [calls([("a", "garden/water", 1)]), calls([("b", "garden/water", 1)]), says("Done.")],
        )
        .asks_about(WATER, "preview")
        .does("a", Does::Fails),
    ]
}

fn asked(name: &'static str) -> Scenario {
    Scenario::new(name, work()).asks_about(WATER, "preview")
}

fn work() -> [Turn; 2] {
    [calls([("a", "garden/look", 1), ("b", "garden/water", 1), ("c", "garden/note", 1)]), says("Done.")]
}

/// Two calls that are asked about, among others.
fn batch() -> [Turn; 2] {
    let calls = calls([
        ("a", "garden/water", 1),
        ("b", "garden/look", 1),
        ("c", "garden/water", 2),
        ("d", "garden/plant", 1),
    ]);
    [calls, says("Done.")]
}
