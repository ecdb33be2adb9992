//! Tool pairs: the fast walk agrees with the plain rule, and what is left is whole.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use provost_contract::Message;
use provost_contract::tool_pair::{Orphan, is_paired, prune, validate};
use serde_json::{Value, json};

use crate::corpus::{Corpus, check};

/// Few ids and names, so that halves meet; plain messages and envelopes; and what is neither half.
fn transcripts() -> impl Strategy<Value = Vec<Value>> {
    let kind = select(vec!["tool_call", "tool_result", "text", "approval_required"]);
    let id = select(vec![json!(null), json!(""), json!("a"), json!("b"), json!("b "), json!(7)]);
    let name = select(vec![json!("x/one"), json!("y/two"), json!(null)]);
    let message = (kind, id, name, any::<bool>()).prop_map(|(kind, id, name, plain)| {
        let role = if id == "a" { "user" } else { "assistant" };
        if plain && kind == "text" {
            return json!({"role": role, "content": "said"});
        }
        if plain {
            return json!({"content": "", "metadata": {"type": kind, "tool_name": name, "tool_call_id": id}});
        }
        json!({"version": 1, "type": kind, "payload": {"tool_name": name}, "metadata": {"tool_call_id": id}})
    });
    vec(message, 0..24)
}

/// The rule word for word, at the price of a search a result.
fn orphans_by_the_rule(messages: &[Message]) -> Vec<usize> {
    // Positions of waiting calls, and their steps.
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut orphans = Vec::new();
    let (mut step, mut heard) = (0, false);
    for (index, message) in messages.iter().enumerate() {
        match json!(message.kind).as_str() {
            Some("tool_call") => {
                step += usize::from(std::mem::take(&mut heard));
                waiting.push((index, step));
            }
            Some("tool_result") => {
                let id = message.tool_call_id();
                let answers = |call: &Message| {
                    call.tool_call_id() == id && (!id.is_empty() || call.tool_name() == message.tool_name())
                };
                heard = true;
                let fits = waiting.iter().enumerate().filter(|(_, (call, _))| answers(&messages[*call]));
                // The newest step, and of its calls the first.
                match fits.map(|(place, (_, step))| (*step, std::cmp::Reverse(place))).max() {
                    Some((_, std::cmp::Reverse(place))) => drop(waiting.remove(place)),
                    None => orphans.push(index),
                }
            }
            Some("text") => heard |= message.role() != "assistant",
            _ => {}
        }
    }
    orphans.extend(waiting.into_iter().map(|(call, _)| call));
    orphans.sort_unstable();
    orphans
}

#[test]
fn orphans_are_those_of_the_rule_typed_or_in_json() {
    check(&transcripts(), |values| {
        let messages = Message::parse_many(&values).unwrap();
        let Ok(typed) = validate(&messages);
        let indices: Vec<usize> = typed.iter().map(|orphan| orphan.index).collect();
        prop_assert_eq!(indices, orphans_by_the_rule(&messages));
        prop_assert_eq!(validate(&values), Ok(typed));
        Ok(())
    });
}

#[test]
fn what_pruning_leaves_is_paired_and_lacks_only_the_orphans() {
    check(&transcripts(), |values| {
        let pruned = prune(values.clone()).unwrap();
        prop_assert_eq!(is_paired(&pruned.messages), Ok(true));
        let removed: Vec<usize> = pruned.removed.iter().map(|orphan: &Orphan| orphan.index).collect();
        let kept = values.iter().enumerate().filter(|(index, _)| !removed.contains(index));
        prop_assert_eq!(kept.map(|(_, value)| value.clone()).collect::<Vec<_>>(), pruned.messages);
        Ok(())
    });
}

#[test]
fn whatever_is_no_message_is_refused_as_parsing_refuses_it() {
    let messages = Corpus::of("message").near("message");
    check(&vec(messages, 0..4), |values| {
        let parsed = Message::parse_many(&values);
        let found = validate(&values);
        prop_assert_eq!(found.as_ref().err(), parsed.as_ref().err());
        if let Ok(messages) = parsed {
            let Ok(typed) = validate(&messages);
            prop_assert_eq!(found, Ok(typed));
        }
        Ok(())
    });
}

/// A call and a result, by id, or by the name of their tool without one.
fn half(kind: &str, id: &str, text: &str) -> Value {
    json!({"role": if kind == "tool_call" { "assistant" } else { "tool" }, "content": text,
        "metadata": {"type": kind, "tool_name": "fs/read", "tool_call_id": id}})
}

fn said(role: &str) -> Value {
    json!({"role": role, "content": "said"})
}

#[test]
fn a_result_belongs_to_the_nearest_step_that_waits_for_it() {
    let (call, result) = ("tool_call", "tool_result");
    for id in ["", "a"] {
        let partners = |entries: &[Value]| {
            let messages = Message::parse_many(entries).unwrap();
            let Ok(typed) = provost_contract::tool_pair::partners(&messages);
            assert_eq!(provost_contract::tool_pair::partners(entries), Ok(typed.clone()));
            typed
        };
        let interrupted =
            [half(call, id, "a.txt"), said("user"), half(call, id, "b.txt"), half(result, id, "B")];
        assert_eq!(partners(&interrupted), [None, None, Some(3), Some(2)], "the call of b gets b");
        let late = [
            half(call, id, "1"),
            said("user"),
            half(call, id, "2"),
            half(result, id, "2"),
            half(result, id, "1"),
        ];
        assert_eq!(partners(&late), [Some(4), None, Some(3), Some(2), Some(0)], "only then the older one");
        let together =
            [half(call, id, "1"), half(call, id, "2"), half(result, id, "1"), half(result, id, "2")];
        assert_eq!(partners(&together), [Some(2), Some(3), Some(0), Some(1)], "in order inside a step");
        let between = [
            half(call, id, "1"),
            said("assistant"),
            half(call, id, "2"),
            half(result, id, "1"),
            half(result, id, "2"),
        ];
        assert_eq!(
            partners(&between),
            [Some(3), None, Some(4), Some(0), Some(2)],
            "its words do not end a step"
        );
    }
}

/// One id for everything, as some programs write it: the time grows with the transcript, not with its square.
#[test]
#[expect(clippy::disallowed_methods, reason = "how long it really takes is what is asked")]
fn an_id_that_is_used_very_often_costs_no_more_than_others() {
    let pair = || [half("tool_call", "a", "1"), half("tool_result", "a", "1")];
    let values: Vec<Value> = (0..20_000).flat_map(|_| pair()).collect();
    let messages = Message::parse_many(&values).unwrap();
    let unanswered: Vec<Value> =
        (0..20_000).flat_map(|_| [half("tool_call", "a", "1"), said("user")]).collect();
    let unanswered = Message::parse_many(&unanswered).unwrap();
    let began = std::time::Instant::now();
    assert_eq!(is_paired(&messages), Ok(true));
    for messages in [&messages, &unanswered] {
        let mode = provost_contract::provider::RepairMode::Synthesise;
        let repaired = provost_contract::provider::repair(messages, mode);
        assert_eq!(is_paired(&repaired.messages), Ok(true));
    }
    // Linear it is some seconds in a debug build; with the square of 20,000 it would be many minutes.
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}
