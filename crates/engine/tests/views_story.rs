//! What a run did, piece by piece.

use provost_engine::event::*;
use provost_engine::view::{CallOutcome, Piece, StoryReader, story};

use crate::world::{World, cancel, done, message, run_spec, step, verdicts, writes};

/// One piece in a line.
fn line(piece: &Piece) -> String {
    match piece {
        Piece::Prompt { text } => format!("prompt {text}"),
        Piece::Turn { turn, .. } => format!("turn {turn}"),
        Piece::Words { text } => format!("says {text}"),
        Piece::Ended(end) => format!("< {} {} {}", end.call.number, end.call.label, outcome(&end.outcome)),
        Piece::Asks { call, pending } => {
            format!("? {} {} {}", call.label, pending.kind.as_str(), pending.preview)
        }
        Piece::Waits { call, kind, .. } => format!("? {} waits for {}", call.label, kind.as_str()),
        Piece::RunsAgain { call, by, .. } => format!("+ {} again {}", call.label, by.id),
        Piece::ModelFailed { fault, attempt, again } => format!("! {} {attempt} {again}", fault.message),
        Piece::ResponseRefused { code, .. } => format!("! refused {code}"),
        Piece::Compacted => "compacted".to_owned(),
        Piece::CancelAsked { by, reason } => format!("! cancel {} {reason}", by.id),
        Piece::Message { by, .. } => format!("! message {}", by.id),
        Piece::TakenOver => "taken over".to_owned(),
        Piece::AnswerIgnored { by } => format!("ignored {}", by.id),
        Piece::Resumed { by } => format!("resumed {}", by.id),
        Piece::RunEnded { status, .. } => format!("ended: {status:?}"),
    }
}

/// The name of an outcome.
fn outcome(outcome: &CallOutcome) -> String {
    let shown = format!("{outcome:?}");
    shown.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

#[track_caller]
fn check(world: &World, expected: &[&str]) {
    let story = story(&world.state.agent, &[], &world.events).unwrap();
    let lines: Vec<String> = story.lines.iter().skip(1).map(|found| line(&found.piece)).collect();
    assert_eq!(lines, live(world), "the same pieces in the same order");
    assert_eq!(lines, expected, "\n{}", lines.join("\n"));
}

/// The same, as the events come.
fn live(world: &World) -> Vec<String> {
    let (mut reader, mut told) = StoryReader::begin(&world.state.agent, &[], &world.events[0]).unwrap();
    for event in &world.events[1..] {
        told.extend(reader.take(event).unwrap());
    }
    told.extend(reader.flush());
    told.iter().skip(1).map(|found| line(&found.piece)).collect()
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
            "< 1 call_0 Done",
            "< 2 call_1 Done",
            "? call_2 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":2,\"turn\":1}}",
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
            "< 1 call_0 Done",
            "< 2 call_1 Done",
            "? call_2 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":2,\"turn\":1}}",
            "< 3 call_2 Done",
            "turn 2",
            "says Done.",
            "ended: Completed",
        ],
    );
    let story = story(&world.state.agent, &[], &world.events).unwrap();
    assert_eq!((story.totals.turns, story.totals.calls, story.totals.tokens), (2, 3, 0));
}

#[test]
fn cancels_messages_and_refusals() {
    check(
        &called(&["ask"]).signalled(message(MessageMode::Supersede, false)),
        &[
            "turn 1",
            "? call_0 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "! message user:ada",
            "< 1 call_0 Superseded",
        ],
    );
    check(
        &called(&["ask"]).signalled(cancel()),
        &[
            "turn 1",
            "? call_0 approval {\"tool_name\":\"test/ask\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "! cancel user:ada ",
            "< 1 call_0 Cancelled",
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
            "! The provider is overloaded. 1 true",
            "! The provider is overloaded. 2 false",
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
    let resume = Signal::Resume {
        budgets: [("turns".to_owned(), 9)].into(),
        reason: String::new(),
        declaration: None,
    };
    check(
        &world.claimed().signalled(resume),
        &["turn 1", "< 1 call_0 Done", "ended: BudgetExceeded", "resumed user:ada"],
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
            "taken over",
            "? call_0 in_doubt {\"tool_name\":\"test/write\",\"parameters\":{\"n\":0,\"turn\":1}}",
            "+ call_0 again user:ada",
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
