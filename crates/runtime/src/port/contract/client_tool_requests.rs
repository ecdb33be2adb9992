//! What the requests that wait for a client promise.

use provost_contract::json::into_object;
use serde_json::{Value, json};

use super::promises;
use super::sample::must;
use crate::port::{
    ClientToolRecord, ClientToolTransition, CreatedRequest, PendingRequests, Stores, Transitions,
};

promises![
    transitions_are_atomic,
    a_record_comes_back_as_it_was_written,
    a_waiting_request_is_replaced_and_an_answered_one_is_not,
    an_answer_counts_once_and_is_kept,
    a_request_nobody_answered_keeps_no_result,
    of_many_answers_one_counts,
    waiting_requests_are_filtered_in_order,
];

fn record(id: &str, more: Value) -> ClientToolRecord {
    let mut raw = into_object(json!({
        "status": "runtime_tool_pending", "request_id": id, "tool_name": "client/pick",
        "parameters": { "č": [null, 1.5] },
    }));
    raw.extend(into_object(more));
    ClientToolRecord(raw)
}

async fn transitions_are_atomic(stores: Stores) {
    assert_eq!(stores.client_tool_requests.transitions(), Transitions::Atomic);
}

async fn a_record_comes_back_as_it_was_written(stores: Stores) {
    let written = record("a", json!({ "unknown": { "kept": true }, "run_id": "run-1" }));
    assert_eq!(must(stores.client_tool_requests.create(written.clone()).await), CreatedRequest::Waiting);
    assert_eq!(must(stores.client_tool_requests.get("a").await), Some(written));
    assert_eq!(must(stores.client_tool_requests.get("b").await), None);
}

async fn a_waiting_request_is_replaced_and_an_answered_one_is_not(stores: Stores) {
    must(stores.client_tool_requests.create(record("a", json!({ "n": 1 }))).await);
    must(stores.client_tool_requests.create(record("b", json!({}))).await);
    let second = record("a", json!({ "n": 2 }));
    assert_eq!(must(stores.client_tool_requests.create(second.clone()).await), CreatedRequest::Waiting);
    assert_eq!(must(stores.client_tool_requests.get("a").await), Some(second.clone()));
    assert_eq!(pending(&stores, &PendingRequests::default()).await, "ab", "it keeps its place");
    must(stores.client_tool_requests.transition("a", ClientToolTransition::completed(json!(1))).await);
    let mut answered = second.clone();
    answered.advance(&ClientToolTransition::completed(json!(1)));
    let again = must(stores.client_tool_requests.create(second).await);
    assert_eq!(again, CreatedRequest::AnsweredBefore(answered.clone()));
    assert_eq!(must(stores.client_tool_requests.get("a").await), Some(answered));
}

async fn an_answer_counts_once_and_is_kept(stores: Stores) {
    must(stores.client_tool_requests.create(record("a", json!({}))).await);
    let answer = |n| ClientToolTransition::completed(json!({ "n": n }));
    assert!(must(stores.client_tool_requests.transition("a", answer(1)).await));
    assert!(!must(stores.client_tool_requests.transition("a", answer(2)).await));
    assert!(!must(stores.client_tool_requests.transition("a", ClientToolTransition::timed_out()).await));
    assert!(!must(stores.client_tool_requests.transition("nope", answer(1)).await));
    let stored = must(stores.client_tool_requests.get("a").await);
    let told = stored.as_ref().map(|record| (record.status(), record.result()));
    assert_eq!(told, Some(("runtime_tool_completed", Some(&json!({ "n": 1 })))));
}

async fn a_request_nobody_answered_keeps_no_result(stores: Stores) {
    must(stores.client_tool_requests.create(record("a", json!({}))).await);
    assert!(must(stores.client_tool_requests.transition("a", ClientToolTransition::timed_out()).await));
    let stored = must(stores.client_tool_requests.get("a").await);
    let told = stored.as_ref().map(|record| (record.status(), record.result()));
    assert_eq!(told, Some(("runtime_tool_timeout", None)));
}

async fn of_many_answers_one_counts(stores: Stores) {
    must(stores.client_tool_requests.create(record("a", json!({}))).await);
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..16 {
        let requests = stores.client_tool_requests.clone();
        clients.spawn(async move {
            must(requests.transition("a", ClientToolTransition::completed(json!(number))).await)
        });
    }
    assert_eq!(clients.join_all().await.into_iter().filter(|counted| *counted).count(), 1);
}

async fn waiting_requests_are_filtered_in_order(stores: Stores) {
    for record in [
        record("d", json!({ "run_id": "run-1", "timeout_at": "2030-01-01T00:00:00Z" })),
        record(
            "c",
            json!({ "run_id": "run-1", "timeout_at": "2030-02-01T00:00:00Z", "tool_name": "client/snap" }),
        ),
        record("b", json!({ "run_id": "run-2" })),
        record("a", json!({})),
    ] {
        must(stores.client_tool_requests.create(record).await);
    }
    must(stores.client_tool_requests.transition("a", ClientToolTransition::timed_out()).await);
    let all = PendingRequests::default;
    let word = |text: &str| Some(text.to_owned());
    let cases = [
        (all(), "dcb"),
        (PendingRequests { run_id: word("run-1"), ..all() }, "dc"),
        (PendingRequests { tool_name: word("client/pick"), ..all() }, "db"),
        (PendingRequests { before: word("2030-01-15T00:00:00Z"), ..all() }, "d"),
        (PendingRequests { before: word("2030-01-01T00:00:00Z"), ..all() }, ""),
        (PendingRequests { after: word("2030-01-01T00:00:00Z"), ..all() }, "c"),
        (PendingRequests { limit: Some(2), ..all() }, "dc"),
        (PendingRequests { limit: Some(1), run_id: word("run-2"), ..all() }, "b"),
    ];
    for (query, expected) in cases {
        assert_eq!(pending(&stores, &query).await, expected, "{query:?}");
    }
}

async fn pending(stores: &Stores, query: &PendingRequests) -> String {
    let records = must(stores.client_tool_requests.pending(query).await);
    records.iter().map(ClientToolRecord::request_id).collect()
}
