//! Compaction: nothing is lost, no pair is cut, and what is normal stays so.

use std::cell::RefCell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use provost_contract::compaction::{
    Compaction, ConservationPolicy, Item, Policy, Status, Summary, Transcript, compact, select_boundary,
};
use provost_contract::json::{self, Object};
use provost_contract::message::MessageType;
use provost_contract::{ContractError, Message, tool_pair};
use serde_json::{Value, json};

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

#[test]
fn normal_policies_and_items_stay_as_they_are() {
    let policies = Corpus::of("compaction").near("policy");
    normalising_twice_changes_nothing(&policies, |value| Ok(policy(value).to_object().into()));
    let conservation = Corpus::of("compaction-conservation").near("policy");
    normalising_twice_changes_nothing(&conservation, |value| {
        Ok(ConservationPolicy::normalize(&json::into_object(value.clone())).into())
    });
    let items = Corpus::of("compaction-item").near("item");
    normalising_twice_changes_nothing(&items, |value| Ok(Item::parse(value)?.to_value()));
}

#[test]
fn no_message_is_lost() {
    let corpus = Corpus::of("compaction");
    let inputs = (vec(corpus.near("messages"), 1..3), corpus.near("policy"), corpus.near("summarizer"));
    check(&inputs, |(lists, raw_policy, answer)| {
        let source: Vec<Value> =
            lists.iter().flat_map(|list| list.as_array().cloned().unwrap_or_default()).collect();
        let source: Vec<Value> = source.into_iter().filter(|it| Message::parse(it).is_ok()).collect();
        nothing_is_lost(&source, &policy(&raw_policy), &answer)
    });
}

#[test]
fn a_tool_answer_stays_with_its_call() {
    let talk = prop_oneof![Just(0_usize), Just(0), 1_usize..4];
    let inputs = (vec(talk, 1..14), 1_usize..20, 1_usize..20, any::<bool>());
    check(&inputs, |(shape, max, recent, archives)| {
        let messages = transcript(&shape);
        prop_assert!(is_paired(&messages));
        let policy = policy(&json!({
            "enabled": true, "max_messages": max, "recent_messages": recent,
            "overflow_archive_enabled": archives, "overflow_threshold_bytes": 1,
        }));
        let result = compact(Transcript::from(messages), &policy, |_, _| Summary::new("all of it"));
        prop_assert!(is_paired(&result.messages), "{:?}", result);
        Ok(())
    });
}

/// Compacts, and puts together again what was kept, summarised and archived.
fn nothing_is_lost(source: &[Value], policy: &Policy, answer: &Value) -> TestCaseResult {
    let normal = Message::parse_many(source).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let earlier = RefCell::new(Vec::new());
    let summarize = |messages: &[Message], _: &Object| -> Result<Summary, ContractError> {
        earlier.borrow_mut().extend_from_slice(messages);
        Summary::parse(answer)
    };
    let boundary = select_boundary(&normal, policy);
    let transcript =
        Transcript::parse(source.to_vec()).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let Compaction { status, messages, archive_items, .. } = compact(transcript, policy, summarize);
    let kept = messages.get(1..).unwrap_or_default();
    match status {
        Status::Skipped | Status::Failed => prop_assert_eq!(messages, normal),
        Status::Compacted => {
            prop_assert_eq!([earlier.into_inner(), kept.to_vec()].concat(), normal.clone());
            prop_assert!(!policy.preserve_tool_boundaries || !cuts_a_pair(&normal, boundary));
        }
        Status::Archived => {
            let archived = archive_items.unwrap_or_default();
            prop_assert_eq!(&archived, &source[..archived.len()]);
            prop_assert_eq!(kept, &normal[archived.len()..]);
            prop_assert!(!policy.preserve_tool_boundaries || !cuts_a_pair(&normal, archived.len()));
        }
    }
    Ok(())
}

fn cuts_a_pair(messages: &[Message], boundary: usize) -> bool {
    messages[boundary - 1].kind == MessageType::ToolCall
        || messages.get(boundary).is_some_and(|message| message.kind == MessageType::ToolResult)
}

/// A transcript as a run writes it: a number is a batch of so many calls and their answers, 0 is talk.
fn transcript(shape: &[usize]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (turn, calls) in shape.iter().enumerate() {
        if *calls == 0 {
            messages.push(Message::text("user", format!("turn {turn}")));
        }
        let metadata = |call| json::into_object(json!({ "tool_call_id": format!("{turn}-{call}") }));
        let call = |call| Message::tool_call("", "yard/weigh", Object::new(), 1, metadata(call));
        let answer = |call| Message::tool_result("{}", "yard/weigh", Object::new(), metadata(call));
        messages.extend((0..*calls).map(call));
        messages.extend((0..*calls).rev().map(answer));
    }
    messages
}

fn is_paired(messages: &[Message]) -> bool {
    matches!(tool_pair::is_paired(messages), Ok(true))
}

fn policy(value: &Value) -> Policy {
    Policy::parse(&json::into_object(value.clone()))
}
