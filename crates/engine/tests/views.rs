//! The result record, and what observers see.

use provost_engine::event::*;
use provost_engine::view::{self, Observed, Observer};
use serde_json::Value;

use crate::world::{World, agent, cancel, done, verdicts};

fn result(world: &World) -> Value {
    view::conversation_result(&agent(), &[], &world.events).unwrap()
}

/// What observers see live: event by event, and a look at every rest.
fn names(world: &World) -> Vec<&'static str> {
    let (first, others) = world.events.split_first().unwrap();
    let (mut observer, mut seen) = Observer::begin(&agent(), &[], first, true).unwrap();
    for event in others {
        seen.extend(observer.take(event).unwrap());
    }
    seen.extend(observer.rests());
    let replayed = view::observer::observed(&agent(), &[], &world.events, true).unwrap();
    assert_eq!(seen, replayed);
    seen.iter().map(|Observed { event, .. }| *event).collect()
}

fn asked() -> World {
    let world = World::plain().claimed();
    let calls = world.calls(&["read", "ask"]);
    let world = world.after(calls);
    let ends = world.ends("1.0", done());
    world.after(ends)
}

#[test]
fn a_question_ends_the_transcript_and_is_no_answer() {
    let world = asked();
    let result = result(&world);
    assert_eq!(result["status"], "approval_required");
    assert_eq!(result["completed"], false);
    let proposal = &result["approval_required"];
    let wait = world.state.wait_id(1).to_string();
    assert_eq!(proposal["payload"]["action_id"], wait.as_str(), "the wait that is answered");
    assert_eq!(proposal["payload"]["metadata"]["binding"], world.state.waits[&1].binding.to_string());
    let messages = result["messages"].as_array().unwrap();
    assert_eq!(messages.last(), Some(proposal));
    let kinds: Vec<&str> = messages.iter().filter_map(|message| message["type"].as_str()).collect();
    assert!(kinds.ends_with(&["tool_call", "tool_result", "tool_call", "approval_required"]), "{kinds:?}");
    assert_eq!(result["tool_execution_results"].as_array().map(Vec::len), Some(1));
    assert!(names(&world).ends_with(&["approval_required", "completed"]));
}

#[test]
fn an_answered_question_gives_way_to_its_result() {
    let mut world = asked();
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.1", Decision::Approve { edit: None }, binding));
    let world = world.after(answer);
    let ends = world.ends("1.1", done());
    let world = world.after(ends);
    let says = world.says("Done.");
    let world = world.after(says);
    let result = result(&world);
    assert_eq!((&result["completed"], &result["final_content"]), (&true.into(), &"Done.".into()));
    assert!(result.get("status").is_none() && result.get("approval_required").is_none());
    let kinds = result["messages"].as_array().unwrap().iter();
    assert!(kinds.clone().all(|message| message["type"] != "approval_required"));
    assert_eq!(result["tool_execution_results"].as_array().map(Vec::len), Some(2));
    assert!(names(&world).contains(&"approval_granted"));
}

#[test]
fn a_cancelled_run_says_by_whom() {
    let world = asked().signalled(cancel());
    let result = result(&world);
    assert_eq!(result["status"], "cancelled");
    assert!(result["cancelled"]["by"].is_string(), "{result}");
    let names = names(&world);
    assert!(names.contains(&"cancel_asked") && names.ends_with(&["completed"]), "{names:?}");
}

#[test]
fn every_beginning_of_a_journal_has_a_record() {
    let world = asked().signalled(cancel());
    for upto in 1..=world.events.len() {
        let result = view::conversation_result(&agent(), &[], &world.events[..upto]);
        assert!(result.is_ok(), "{upto}: {result:?}");
    }
}
