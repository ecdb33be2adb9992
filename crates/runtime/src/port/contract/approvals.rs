//! What the queue of approvals promises.

use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution, Verdict};
use serde_json::{Value, json};

use super::promises;
use super::sample::{must, refused};
use crate::port::{ApprovalFilter, Decided, StoreActionError, Stores};

promises![
    an_action_comes_back_whole,
    an_id_is_given_once,
    decided_actions_are_hidden_unless_asked,
    a_decision_is_made_once,
    of_many_decisions_one_counts,
    what_came_of_a_decision_is_added_to_it,
    waiting_actions_expire_and_decided_ones_do_not,
    a_withdrawn_action_is_kept,
    each_filter_filters_in_order,
    a_summary_counts_by_status,
];

fn action(id: &str) -> PendingAction {
    action_with(id, json!({}))
}

fn action_with(id: &str, more: Value) -> PendingAction {
    let mut raw = json!({
        "action_id": id, "kind": "invoice.send", "summary": "Send č", "preview": null,
        "apply_input": { "deep": [1, { "x": null }] }, "created_at": "2026-03-01T08:00:00Z",
    });
    if let (Some(raw), Value::Object(more)) = (raw.as_object_mut(), more) {
        raw.extend(more);
    }
    must(PendingAction::parse(&raw))
}

fn decision(verdict: Verdict, resolver: &str) -> Resolution {
    must(Resolution::new(verdict, resolver, "2026-03-01T10:00:00Z"))
}

async fn get(stores: &Stores, id: &str) -> Option<PendingAction> {
    must(stores.approvals.get(id, Decided::Included).await)
}

async fn status(stores: &Stores, id: &str) -> Option<PendingActionStatus> {
    get(stores, id).await.map(|action| action.status())
}

async fn an_action_comes_back_whole(stores: Stores) {
    let full = action_with(
        "a",
        json!({ "workspace": { "workspace_type": "site", "workspace_id": "1" }, "agent": "coach",
                "creator": "u", "expires_at": "t", "metadata": { "m": [] }, "resolution_metadata": [1] }),
    );
    must(stores.approvals.store(full.clone()).await);
    assert_eq!(get(&stores, "a").await, Some(full));
    assert_eq!(get(&stores, "b").await, None);
}

async fn an_id_is_given_once(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    let error = refused(stores.approvals.store(action_with("a", json!({ "kind": "other" }))).await);
    assert!(matches!(error, StoreActionError::Taken { .. }), "{error}");
    assert_eq!(get(&stores, "a").await, Some(action("a")));
}

async fn decided_actions_are_hidden_unless_asked(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    assert_eq!(must(stores.approvals.get("a", Decided::Hidden).await), Some(action("a")));
    must(stores.approvals.record_resolution("a", decision(Verdict::Accepted, "u")).await);
    assert_eq!(must(stores.approvals.get("a", Decided::Hidden).await), None);
    assert_eq!(status(&stores, "a").await, Some(PendingActionStatus::Accepted));
}

async fn a_decision_is_made_once(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    let mut first = decision(Verdict::Rejected, "u");
    first.error = Some("no".to_owned());
    first.metadata.insert("via".into(), "ui".into());
    assert!(must(stores.approvals.record_resolution("a", first.clone()).await));
    assert!(!must(stores.approvals.record_resolution("a", decision(Verdict::Accepted, "v")).await));
    assert!(!must(stores.approvals.record_resolution("nope", first.clone()).await));
    let mut expected = action("a");
    expected.resolve(first);
    assert_eq!(get(&stores, "a").await, Some(expected));
}

async fn of_many_decisions_one_counts(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    let mut deciders = tokio::task::JoinSet::new();
    for number in 0..16 {
        let approvals = stores.approvals.clone();
        let verdict = if number % 2 == 0 { Verdict::Accepted } else { Verdict::Rejected };
        deciders.spawn(async move {
            must(approvals.record_resolution("a", decision(verdict, &format!("u{number}"))).await)
        });
    }
    assert_eq!(deciders.join_all().await.into_iter().filter(|counted| *counted).count(), 1);
}

async fn what_came_of_a_decision_is_added_to_it(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    assert!(!must(stores.approvals.record_outcome("a", Ok(json!(1))).await), "nobody decided yet");
    assert!(!must(stores.approvals.record_outcome("nope", Ok(json!(1))).await));
    must(stores.approvals.record_resolution("a", decision(Verdict::Accepted, "u")).await);
    assert!(must(stores.approvals.record_outcome("a", Err("it broke".to_owned())).await));
    assert!(must(stores.approvals.record_outcome("a", Ok(json!({ "sent": true }))).await));
    let stored = get(&stores, "a").await.map(|action| (action.resolution_result, action.resolution_error));
    assert_eq!(stored, Some((json!({ "sent": true }), Some("it broke".to_owned()))));
}

async fn waiting_actions_expire_and_decided_ones_do_not(stores: Stores) {
    let until = |id: &str, end: &str| action_with(id, json!({ "expires_at": end }));
    for action in [
        until("over", "2026-03-01T12:00:00Z"),
        until("elsewhere", "2026-03-01T12:30:00+01:00"),
        until("later", "2026-03-01T12:00:01Z"),
        until("decided", "2026-03-01T12:00:00Z"),
        action("endless"),
    ] {
        must(stores.approvals.store(action).await);
    }
    must(stores.approvals.record_resolution("decided", decision(Verdict::Accepted, "u")).await);
    assert_eq!(must(stores.approvals.expire("2026-03-01T12:00:00Z").await), 2);
    assert_eq!(must(stores.approvals.expire("2026-03-01T12:00:00Z").await), 0);
    let mut statuses = Vec::new();
    for id in ["over", "elsewhere", "later", "decided", "endless"] {
        statuses.push(status(&stores, id).await.map(<&str>::from).unwrap_or_default());
    }
    assert_eq!(statuses, ["expired", "expired", "pending", "accepted", "pending"]);
}

async fn a_withdrawn_action_is_kept(stores: Stores) {
    must(stores.approvals.store(action("a")).await);
    assert!(must(stores.approvals.delete("a", "u", "t").await));
    assert!(!must(stores.approvals.delete("a", "u", "t").await));
    assert!(!must(stores.approvals.delete("nope", "u", "t").await));
    assert_eq!(status(&stores, "a").await, Some(PendingActionStatus::Deleted));
    assert!(!must(stores.approvals.record_resolution("a", decision(Verdict::Accepted, "u")).await));
}

async fn each_filter_filters_in_order(stores: Stores) {
    let scope = json!({ "workspace_type": "site", "workspace_id": "1" });
    for action in [
        action("c"),
        action_with("b", json!({ "kind": "file.write" })),
        action_with("a", json!({ "agent": "coach" })),
        action_with("d", json!({ "workspace": scope })),
    ] {
        must(stores.approvals.store(action).await);
    }
    must(stores.approvals.record_resolution("c", decision(Verdict::Accepted, "u")).await);
    let all = ApprovalFilter::default;
    let cases = [
        (all(), "cbad"),
        (ApprovalFilter { status: Some(PendingActionStatus::Pending), ..all() }, "bad"),
        (ApprovalFilter { status: Some(PendingActionStatus::Accepted), ..all() }, "c"),
        (ApprovalFilter { kind: Some("file.write".to_owned()), ..all() }, "b"),
        (ApprovalFilter { agent: Some("coach".to_owned()), ..all() }, "a"),
        (
            ApprovalFilter { workspace: action_with("x", json!({ "workspace": scope })).workspace, ..all() },
            "d",
        ),
    ];
    for (filter, expected) in cases {
        let shown = must(stores.approvals.list(&filter).await);
        assert_eq!(shown.iter().map(PendingAction::action_id).collect::<String>(), expected, "{filter:?}");
    }
}

async fn a_summary_counts_by_status(stores: Stores) {
    for id in ["a", "b", "c"] {
        must(stores.approvals.store(action(id)).await);
    }
    must(stores.approvals.record_resolution("a", decision(Verdict::Rejected, "u")).await);
    let all = must(stores.approvals.summary(&ApprovalFilter::default()).await);
    assert_eq!(all.into_iter().collect::<Vec<_>>(), [("pending", 2), ("rejected", 1)]);
    let none = ApprovalFilter { kind: Some("other".to_owned()), ..ApprovalFilter::default() };
    assert!(must(stores.approvals.summary(&none).await).is_empty());
}
