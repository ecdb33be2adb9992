use serde_json::{Value, json};

use super::*;
use crate::json::{self, Object};
use crate::{Message, canonical};

fn policy(raw: Value) -> Policy {
    Policy::parse(&json::into_object(raw))
}

fn talk(count: usize) -> Vec<Value> {
    (0..count).map(|n| json!({"role": "user", "content": format!("question {n}")})).collect()
}

fn summarized(count: usize, policy: &Policy, summary: Result<Summary, &str>) -> Compaction {
    compact(Transcript::parse(talk(count)).unwrap(), policy, |_, _| summary)
}

fn short() -> Value {
    json!({"enabled": true, "max_messages": 4, "recent_messages": 2})
}

#[test]
fn a_summarizer_that_fails_leaves_the_transcript_whole() {
    let failed = summarized(6, &policy(short()), Err("the model is away"));
    assert_eq!((failed.status, failed.messages.len()), (Status::Failed, 6));
    assert_eq!(failed.metadata["error"], "the model is away");
    assert_eq!(failed.metadata["provenance"]["archived"]["item_count"], 0);
    let kinds: Vec<_> = failed.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::CompactionStarted, EventType::CompactionFailed]);
}

#[test]
fn a_summary_that_conserves_too_little_is_refused_and_a_lenient_policy_takes_it() {
    let strict = json!({"enabled": true, "max_messages": 4, "recent_messages": 2,
        "conservation_enabled": true, "minimum_conserved_byte_ratio": 3});
    let refused = summarized(6, &policy(strict.clone()), Ok(Summary::new("short").unwrap()));
    assert_eq!((refused.status, refused.messages.len()), (Status::Failed, 6));
    assert_eq!(refused.metadata["error"], "Compaction conservation check failed.");

    let mut lenient = json::into_object(strict);
    lenient.insert("conservation_enabled".into(), false.into());
    let taken = summarized(6, &Policy::parse(&lenient), Ok(Summary::new("short").unwrap()));
    assert_eq!((taken.status, taken.messages.len()), (Status::Compacted, 3));
}

#[test]
fn what_the_summarizer_archived_counts_as_conserved() {
    let strict = json!({"enabled": true, "max_messages": 4, "recent_messages": 2,
        "conservation_enabled": true, "minimum_conserved_byte_ratio": 3});
    let summary = Summary::parse(&json!({"summary": "short", "archived_items": ["x".repeat(500)]}));
    let taken = summarized(6, &policy(strict), summary.map_err(|_| "unread"));
    assert_eq!(taken.status, Status::Compacted);
    assert!(!failed_closed(&taken.metadata));
}

#[test]
fn as_many_of_the_newest_messages_stay_as_fit() {
    let source = talk(9);
    for limit in [1, 100, 250, 500, 1_000, 100_000] {
        let policy = policy(json!({"overflow_archive_enabled": true, "overflow_threshold_bytes": 1,
            "overflow_retained_messages": 8, "overflow_retained_bytes": limit}));
        let archived = compact(Transcript::parse(source.clone()).unwrap(), &policy, no_summary);
        let stayed: Vec<Value> = archived.messages[1..].iter().map(Message::to_value).collect();
        let size = |from: usize| {
            let normal = Message::parse_many(&source[from..]).unwrap();
            canonical::compact(&normal.iter().map(Message::to_value).collect()).len()
        };
        let first = (1..9).find(|from| *from == 8 || size(*from) <= limit).unwrap();
        assert_eq!(stayed.len(), 9 - first, "limit {limit}");
        assert_eq!(archived.archive_items.unwrap(), source[..first], "limit {limit}");
    }
}

#[test]
fn a_typed_transcript_is_archived_in_its_normal_form() {
    let policy = policy(json!({"overflow_archive_enabled": true, "overflow_threshold_bytes": 1,
        "recent_messages": 1}));
    let messages = Message::parse_many(&talk(3)).unwrap();
    let normal: Vec<Value> = messages.iter().map(Message::to_value).collect();
    let typed = compact(Transcript::from(messages), &policy, no_summary);
    assert_eq!(typed, compact(Transcript::parse(normal).unwrap(), &policy, no_summary));
    assert_eq!(typed.archive_items.map(|items| items.len()), Some(2));
}

#[test]
fn a_plan_waits_for_its_summary() {
    let Plan::Summarize(pending) = plan(Transcript::parse(talk(6)).unwrap(), &policy(short())) else {
        panic!("a transcript over its limit needs a summary");
    };
    assert_eq!(pending.earlier().len(), 4);
    assert_eq!(pending.context()["boundary"], json!({"compact_until": 3, "retain_from": 4}));
    let done = pending.finish(Summary::new("They talked."));
    assert_eq!(done.messages[0].content.as_text(), Some("Earlier conversation summary:\n\nThey talked."));
}

fn no_summary(_: &[Message], _: &Object) -> Result<Summary, String> {
    panic!("an archived transcript is not summarised")
}
