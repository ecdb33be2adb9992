//! A whole small run, written once by version 1 of every kind. It must decode, verify and fold to the same
//! summary for ever.

use std::path::PathBuf;

use provost_engine::event::*;
use provost_engine::{Digest, Event, Input, Payload, Record, RunId, RunState, Seq, Usage, verify, view};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::world::{RUN, World, agent, cancel, done, failed, message, run_spec, verdicts};

/// One line of an exported journal.
#[derive(Serialize, Deserialize)]
struct Line {
    run: RunId,
    #[serde(flatten)]
    record: Record,
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The records of a journal, chained.
pub(crate) fn records(run: &RunId, events: &[Event]) -> Vec<Record> {
    let mut head = Digest::ZERO;
    let record = |event: &Event| {
        let record = event.to_record(run, head).unwrap();
        head = record.hash;
        record
    };
    events.iter().map(record).collect()
}

/// Reads and a write that asks, a model that fails once, a crash in a write, a message, a cancel.
fn whole_run() -> World {
    let hooks = HookSet { after_tool: true, ..HookSet::default() };
    let labels = [("ticket".to_owned(), "T-7".to_owned())].into();
    let mut world = World::new(RunSpec { hooks, labels, ..run_spec(Mode::Plain) }).claimed();
    world = world.clone().after(world.fails(Some(500))).later(500).after(Input::Tick);
    world = world.clone().after(world.calls(&["read", "ask", "deny"]));
    world = judged(world.clone().after(world.ends("1.0", done())), "1.0");
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.1", Decision::Approve { edit: None }, binding));
    world = world.after(answer);
    let note = Note::Process { host: "host".into(), pid: 7, start: 8, handle: String::new() };
    world = world.after(Input::Note { action: crate::world::id("1.1"), attempt: 1, note });
    world = judged(world.clone().after(world.ends("1.1", failed())), "1.1");
    world = judged(world, "1.2");
    world = world.clone().after(world.calls(&["write"])).claimed();
    world = world.clone().after(world.recovers("2.0", true, Probe::Unknown));
    let happened = Answer::Happened { payload: Payload::inline("line 17"), reason: "I looked.".into() };
    let answer = world.reply(2, happened);
    world = judged(world.after(answer), "2.0");
    world = world.signalled(message(MessageMode::Enqueue, false));
    world = world.clone().after(world.calls(&["write"])).signalled(cancel());
    world = world.clone().after(world.ends("3.0", Outcome::Stopped));
    judged(world, "3.0")
}

fn judged(world: World, action: &str) -> World {
    let subject = Subject::Action { action: crate::world::id(action) };
    let answer = HookAnswer::Note { value: json!({ "looked": true }) };
    world.after(Input::Hook { hook: Hook::AfterTool, subject, answer })
}

fn lines() -> Vec<Line> {
    let text = std::fs::read_to_string(path("journal-v1.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn summary(state: &RunState, head: Digest) -> Value {
    let transcript: Vec<Value> = state.transcript.messages().map(|message| message.to_value()).collect();
    json!({
        "head": head,
        "seq": state.seq,
        "epoch": state.epoch,
        "status": state.ended,
        "turns": state.ledger.turns(),
        "calls": state.ledger.calls(),
        "effect": state.world_effect(),
        "waits": state.waits_opened,
        "spent": state.ledger.spent(),
        "transcript": transcript,
    })
}

/// To make a fixture for a new version of a kind: delete neither of these files, give the new one another
/// name, and add it here. An old journal is never rewritten.
#[test]
fn the_journal_of_version_1_folds_to_the_same_summary_for_ever() {
    if !path("journal-v1.jsonl").exists() {
        write();
        panic!("the fixture did not exist and was written: read it, and commit it");
    }
    let lines = lines();
    let run: RunId = RUN.parse().unwrap();
    let records = lines.iter().map(|line| &line.record);
    let head = verify(&run, (Seq(0), Digest::ZERO), records.clone()).unwrap();
    let events: Vec<Event> = records.map(|record| Event::from_record(record).unwrap()).collect();
    let state = RunState::fold(agent(), Vec::new(), &events).unwrap();
    let stored = std::fs::read_to_string(path("journal-v1.summary.json")).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(summary(&state, head.1), stored);
}

fn write() {
    let run: RunId = RUN.parse().unwrap();
    let world = whole_run();
    assert_eq!(world.state.ended, Some(EndStatus::Cancelled));
    let records = records(&run, &world.events);
    let head = records.last().unwrap().hash;
    let line = |record| serde_json::to_string(&Line { run: run.clone(), record }).unwrap() + "\n";
    let text: String = records.into_iter().map(line).collect();
    std::fs::create_dir_all(path("")).unwrap();
    std::fs::write(path("journal-v1.jsonl"), text).unwrap();
    let summary = serde_json::to_string_pretty(&summary(&world.state, head)).unwrap();
    std::fs::write(path("journal-v1.summary.json"), summary + "\n").unwrap();
}

/// The engine of today still writes what it wrote then, apart from what a new version changes on purpose.
#[test]
fn the_run_of_the_fixture_takes_the_same_steps_today() {
    let kinds: Vec<String> = lines().iter().map(|line| line.record.kind.to_string()).collect();
    let today: Vec<String> = whole_run().events.iter().map(|event| event.kind.name().to_owned()).collect();
    assert_eq!(kinds.len(), today.len());
    // A result is noted before the next call begins; then, the note could come after it.
    let steps = |kinds: Vec<String>| -> Vec<String> {
        kinds.into_iter().filter(|kind| kind != "hook_answered").collect()
    };
    assert_eq!(steps(kinds), steps(today));
    let world = whole_run();
    assert_eq!(view::status(&world.state, &world.now).as_str(), "cancelled");
    assert_eq!(world.state.ledger.reserved().count(), 0);
    assert!(Usage::default().is_empty());
}
