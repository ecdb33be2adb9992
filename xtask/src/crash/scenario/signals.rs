//! Runs that hear from outside while they work or wait.

use serde_json::{Value, json};

use super::approvals::policy;
use super::script::{Answer, Exactness, Recall, Scenario, When, calls, cancel, message, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = messages();
    scenarios.extend(cancels());
    scenarios.push(secret());
    scenarios
}

fn work() -> [Value; 3] {
    [
        calls([("a", "garden/look", 1), ("b", "garden/water", 1), ("c", "garden/note", 1)]),
        calls([("d", "garden/plant", 1)]),
        says("Done."),
    ]
}

fn waits(name: &'static str) -> Scenario {
    Scenario::new(name, work()).options(policy("preview")).answers("garden/water", Answer::Ignore)
}

fn messages() -> Vec<Scenario> {
    vec![
        Scenario::new("message-at-first", work()).letter(When::First, message("Mind the roses.")),
        Scenario::new("messages-queued", work())
            .letter(When::During("b"), message("Mind the roses."))
            .letter(When::During("b"), message("And the tulips.")),
        Scenario::new("message-after-the-last-call", work())
            .letter(When::During("d"), message("One more thing.")),
        waits("message-supersedes-approval").letter(When::Parked, message("Leave it.")),
    ]
}

fn cancels() -> Vec<Scenario> {
    vec![
        Scenario::new("cancel-at-first", work()).letter(When::First, cancel()).ends("cancelled"),
        waits("cancel-while-parked").letter(When::Parked, cancel()).ends("cancelled"),
        Scenario::new("cancel-during-write", work())
            .letter(When::During("b"), cancel())
            .exactness(Exactness::End)
            .ends("cancelled"),
        Scenario::new("cancel-during-write-nobody-remembers", work())
            .letter(When::During("b"), cancel())
            .recall(Recall::Forgets)
            .exactness(Exactness::End)
            .ends("cancelled"),
        Scenario::new("cancel-during-read", work())
            .letter(When::During("a"), cancel())
            .exactness(Exactness::End)
            .ends("cancelled"),
    ]
}

/// A secret dies with its process: the call is not run, and the model is told.
fn secret() -> Scenario {
    let call =
        json!({ "id": "a", "name": "garden/water", "parameters": { "bed": 1, "token": "tok-secret-7" } });
    Scenario::new("secret-argument", [json!({ "content": "", "tool_calls": [call] }), says("Done.")])
        .exactness(Exactness::End)
}
