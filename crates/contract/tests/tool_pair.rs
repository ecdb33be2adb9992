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
        if plain {
            return json!({"content": "", "metadata": {"type": kind, "tool_name": name, "tool_call_id": id}});
        }
        json!({"version": 1, "type": kind, "payload": {"tool_name": name}, "metadata": {"tool_call_id": id}})
    });
    vec(message, 0..24)
}

/// The rule word for word, at the price of a search a result.
fn orphans_by_the_rule(messages: &[Message]) -> Vec<usize> {
    let mut waiting: Vec<usize> = Vec::new();
    let mut orphans = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        match json!(message.kind).as_str() {
            Some("tool_call") => waiting.push(index),
            Some("tool_result") => {
                let id = message.tool_call_id();
                let answers = |call: &Message| {
                    call.tool_call_id() == id && (!id.is_empty() || call.tool_name() == message.tool_name())
                };
                match waiting.iter().position(|call| answers(&messages[*call])) {
                    Some(position) => drop(waiting.remove(position)),
                    None => orphans.push(index),
                }
            }
            _ => {}
        }
    }
    orphans.extend(waiting);
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
