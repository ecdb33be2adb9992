//! Conversations of several runs, in one process and in two.

use provost_engine::event::MessageMode;

use super::people::{Person, When};
use super::script::{Ask, Scenario};
use super::signals::message;
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        chat("chat", false),
        chat("chat-of-two-processes", false).workers(2),
        chat("chat-in-doubt", false).forgets(),
        chat("runs-beside-each-other", true).asks(vec![
            Ask { run: "run-1", session: Some("s-1"), together: false },
            Ask { run: "run-2", session: Some("s-2"), together: true },
            Ask { run: "run-3", session: None, together: true },
        ]),
        chat("message-joins-a-session", false)
            .asks_about(&["garden/water"], "preview")
            .person("a", Person::Silent)
            .letter(When::Parked, message("Leave it.", MessageMode::Supersede)),
    ]
}

fn words(label: &'static str, tool: &'static str) -> [Turn; 2] {
    [calls([(label, tool, 1)]), says("Done.")]
}

/// Three messages, each with a run of its own.
fn chat(name: &'static str, together: bool) -> Scenario {
    let ask = |run| Ask { run, session: Some("s-1"), together };
    Scenario::new(name, words("a", "garden/water"))
        .turns("run-2", words("b", "garden/note"))
        .turns("run-3", words("c", "garden/plant"))
        .asks(vec![ask("run-1"), ask("run-2"), ask("run-3")])
}
