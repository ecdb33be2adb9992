//! Runs that hear from outside while they work or wait.

use std::sync::Arc;

use provost_contract::Message;
use provost_engine::event::{MessageMode, Signal};

use super::people::{Person, When, Work};
use super::script::Scenario;
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = messages();
    scenarios.extend(cancels());
    scenarios
}

pub(super) fn message(text: &str, mode: MessageMode) -> Signal {
    Signal::Message { message: Arc::new(Message::text("user", text)), mode, leaves_doubt: false }
}

pub(super) fn cancel() -> Signal {
    Signal::Cancel { actions: None, reason: "It rains.".into() }
}

fn work() -> [Turn; 3] {
    [
        calls([("a", "garden/look", 1), ("b", "garden/water", 1), ("c", "garden/note", 1)]),
        calls([("d", "garden/plant", 1)]),
        says("Done."),
    ]
}

fn waits(name: &'static str) -> Scenario {
    Scenario::new(name, work())
        .asks_about(&["garden/water"], "preview")
        .person("garden/water", Person::Silent)
}

fn messages() -> Vec<Scenario> {
    vec![
        Scenario::new("message-at-first", work())
            .letter(When::First, message("Mind the roses.", MessageMode::Supersede)),
        Scenario::new("messages-queued", work())
            .letter(When::During("b"), message("Mind the roses.", MessageMode::Enqueue))
            .letter(When::During("b"), message("And the tulips.", MessageMode::Enqueue)),
        Scenario::new("message-in-the-last-moment", work())
            .letter(When::Model(3), message("One more thing.", MessageMode::Supersede)),
        waits("message-supersedes-approval")
            .letter(When::Parked, message("Leave it.", MessageMode::Supersede)),
        Scenario::new("message-beside-a-client", [calls([("a", "client/open", 1)]), says("Never mind.")])
            .work(Work::Silent)
            .spec(|spec| spec.limits.wait_ms = Some(30_000))
            .letter(When::Parked, message("Never mind.", MessageMode::Supersede))
            .slow(),
    ]
}

fn cancels() -> Vec<Scenario> {
    vec![
        Scenario::new("cancel-at-first", work()).letter(When::First, cancel()).ends("cancelled").loosely(),
        waits("cancel-while-parked").letter(When::Parked, cancel()).ends("cancelled"),
        Scenario::new("cancel-while-a-client-works", [calls([("a", "client/ring", 1)]), says("Rung.")])
            .work(Work::Silent)
            .letter(When::Parked, cancel())
            .ends("cancelled"),
        Scenario::new("cancel-during-write", work())
            .letter(When::During("b"), cancel())
            .ends("cancelled")
            .loosely(),
        Scenario::new("cancel-during-write-forgotten", work())
            .letter(When::During("b"), cancel())
            .forgets()
            .ends("cancelled")
            .loosely(),
        Scenario::new("cancel-during-read", work())
            .letter(When::During("a"), cancel())
            .ends("cancelled")
            .loosely(),
    ]
}
