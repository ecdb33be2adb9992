//! What a run did, piece by piece.

use provost_engine::event::*;
use provost_engine::view::{Piece, rests_for, story};

use crate::world::{World, cancel, done, message, run_spec, step, verdicts, writes};

/// One piece in a line.
fn line(piece: &Piece) -> String {
    match piece {
        Piece::Turn { turn } => format!("turn {turn}"),
        Piece::Called { call, arguments } => format!("> {} {}", call.label, arguments.len()),
        Piece::Ended { call, success, said } => format!("< {} {success} {said}", call.label),
        Piece::Asks { call, kind, preview } => format!("? {} {} {preview}", call.label, kind.as_str()),
        Piece::Waits { call, kind } => format!("? {} waits for {}", call.label, kind.as_str()),
        Piece::Allowed { call, by, edited } => format!("+ {} {} {edited}", call.label, by.id),
        Piece::ModelFailed { fault, again } => format!("! {} {again}", fault.message),
        Piece::Stops { stop } => format!("! {:?}", stop.status()),
        Piece::CancelAsked { by, reason } => format!("! cancel {} {reason}", by.id),
        Piece::Message { by } => format!("! message {}", by.id),
        Piece::Parked { status } => rests_for(status).to_owned(),
        Piece::Resumed => "resumed".to_owned(),
        Piece::RunEnded { status } => format!("ended: {status:?}"),
    }
}

#[track_caller]
fn check(world: &World, expected: &[&str]) {
    let story = story(&world.state.agent, &[], &world.events).unwrap();
    let lines: Vec<String> = story.lines.iter().map(|found| line(&found.piece)).collect();
    assert_eq!(lines, expected, "\n{}", lines.join("\n"));
}

fn called(tools: &[&str]) -> World {
    let world = World::plain();
    let calls = world.calls(tools);
    world.after(calls)
}

fn ended(world: World, action: &str, outcome: Outcome) -> World {
    let input = world.ends(action, outcome);
    world.after(input)
}

#[test]
fn results_stand_in_the_order_of_the_calls_and_a_question_parks_the_run() {
    let world = ended(ended(called(&["read", "read", "ask"]), "1.1", done()), "1.0", done());
    check(
        &world,
        &[
            "turn 1",
            "> call_0 2",
            "> call_1 2",
            "< call_0 true ",
            "< call_1 true ",
            "> call_2 2",
            "? call_2 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":2,\"turn\":1}}",
            "waits for a person",
        ],
    );
    let mut world = world.claimed();
    let yes = verdicts("1.2", Decision::Approve { edit: None }, world.state.waits[&1].binding);
    let yes = world.reply(1, yes);
    let world = ended(world.after(yes), "1.2", done());
    let says = world.says("Done.");
    let world = world.after(says);
    check(
        &world,
        &[
            "turn 1",
            "> call_0 2",
            "> call_1 2",
            "< call_0 true ",
            "< call_1 true ",
            "> call_2 2",
            "? call_2 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":2,\"turn\":1}}",
            "waits for a person",
            "resumed",
            "+ call_2 user:ada false",
            "< call_2 true ",
            "turn 2",
            "ended: Completed",
        ],
    );
    let story = story(&world.state.agent, &[], &world.events).unwrap();
    assert_eq!((story.turns, story.results, story.tokens), (2, 3, 0));
}

#[test]
fn cancels_messages_and_refusals() {
    check(
        &called(&["ask"]).signalled(message(MessageMode::Supersede, false)),
        &[
            "turn 1",
            "> call_0 2",
            "? call_0 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "waits for a person",
            "resumed",
            "! message user:ada",
            "< call_0 false Not run: the user sent a new message while this waited for an answer.",
            "turn 2",
        ],
    );
    check(
        &called(&["ask"]).signalled(cancel()),
        &[
            "turn 1",
            "> call_0 2",
            "? call_0 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "waits for a person",
            "resumed",
            "! cancel user:ada ",
            "< call_0 false Not run: user:ada cancelled the run first.",
            "ended: Cancelled",
        ],
    );
}

#[test]
fn a_failed_model_call_is_reported_once() {
    let world = World::plain();
    let fails = world.fails(Some(500));
    let world = world.after(fails).later(600);
    let world = world.after(provost_engine::Input::Tick);
    let fails = world.fails(None);
    check(
        &world.after(fails),
        &[
            "turn 1",
            "! The provider is overloaded. true",
            "! The provider is overloaded. false",
            "ended: Failed",
        ],
    );
}

#[test]
fn a_spent_limit_stops_and_a_resume_goes_on() {
    let mut spec = run_spec(Mode::Plain);
    spec.budgets.insert("turns".into(), 1);
    let world = World::new(spec).claimed();
    let calls = world.calls(&["read"]);
    let world = ended(world.after(calls), "1.0", done());
    let resume = Signal::Resume { budgets: [("turns".to_owned(), 9)].into(), reason: String::new() };
    check(
        &world.claimed().signalled(resume),
        &[
            "turn 1",
            "> call_0 2",
            "< call_0 true ",
            "! BudgetExceeded",
            "ended: BudgetExceeded",
            "resumed",
            "turn 2",
        ],
    );
}

#[test]
fn a_doubt_is_asked_and_done_again() {
    let world = called(&["write"]).claimed();
    let lost = world.recovers("1.0", true, Probe::Unknown);
    let mut world = world.after(lost);
    let again = world.reply(1, Answer::Again { reason: String::new() });
    check(
        &world.after(again),
        &[
            "turn 1",
            "> call_0 2",
            "resumed",
            "? call_0 in_doubt {\"tool_name\":\"test/write\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "waits for a person",
            "resumed",
            "+ call_0 user:ada false",
        ],
    );
}

#[test]
fn work_elsewhere_is_waited_for() {
    for (executor, kind) in [(ExecutorKind::Client, "client"), (ExecutorKind::Agent, "child")] {
        let world = World::protocol();
        let graph = world.acts(vec![step("built", executor, writes())]);
        let world = world.after(graph);
        let found = story(&world.state.agent, &[], &world.events).unwrap();
        let waits = format!("? 0.0 waits for {kind}");
        assert!(found.lines.iter().any(|found| line(&found.piece) == waits), "{:?}", found.lines);
    }
}
