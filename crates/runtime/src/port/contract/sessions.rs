//! What sessions and their locks promise.

use provost_contract::WorkspaceScope;
use provost_contract::json::{Object, into_object};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Continuation, NewSession, Session, SessionUpdate};
use serde_json::{Value, json};

use super::promises;
use super::sample::{must, refused};
use crate::port::{CreateSessionError, RecentSession, SessionList, Stores, Transcripts};

promises![
    a_session_comes_back_whole,
    an_id_is_given_once,
    an_update_replaces_transcript_and_metadata,
    an_empty_provider_is_kept_and_a_null_response_id_clears,
    a_title_survives_an_update,
    unknown_sessions_are_told,
    a_deleted_session_is_gone_with_its_lock,
    lists_keep_workspaces_and_owners_apart,
    lists_filter_and_page_newest_first,
    lists_leave_transcripts_out_unless_asked,
    only_the_newest_recent_session_is_looked_at,
    a_recent_session_fits_context_token_and_time,
    a_lock_is_held_by_one,
    its_holder_prolongs_a_lock,
    a_lock_is_over_at_its_time_and_can_be_taken,
    only_the_last_token_releases,
    the_last_token_is_told_until_it_lets_go,
    a_lock_keeps_no_update_away,
];

fn workspace(id: &str) -> WorkspaceScope {
    must(WorkspaceScope::new("site", id))
}

fn owner(kind: &str, key: &str) -> ConversationOwner {
    must(ConversationOwner::new(kind, key))
}

fn session(id: &str, created_at: i64) -> Session {
    let new = NewSession {
        workspace: workspace("1"),
        owner: owner("user", "7"),
        agent_slug: "coach".to_owned(),
        context: "chat".to_owned(),
        metadata: into_object(json!({ "token_id": 9, "more": ["č", null] })),
    };
    new.into_session(id.to_owned(), created_at)
}

fn update(messages: &[Value]) -> SessionUpdate {
    SessionUpdate {
        messages: messages.to_vec(),
        metadata: Object::new(),
        provider: String::new(),
        model: String::new(),
        continuation: Continuation::Keep,
    }
}

fn list() -> SessionList {
    SessionList {
        workspace: workspace("1"),
        owner: owner("user", "7"),
        agent_slug: None,
        context: None,
        limit: 50,
        offset: 0,
        transcripts: Transcripts::Left,
    }
}

fn recent(since: i64) -> RecentSession {
    RecentSession {
        workspace: workspace("1"),
        owner: owner("user", "7"),
        context: "chat".to_owned(),
        token_id: None,
        since,
    }
}

async fn ids(stores: &Stores, list: &SessionList) -> String {
    must(stores.sessions.list(list).await).into_iter().map(|session| session.session_id).collect()
}

async fn recent_id(stores: &Stores, recent: &RecentSession, now_ms: i64) -> Option<String> {
    must(stores.sessions.recent_pending(recent, now_ms).await).map(|session| session.session_id)
}

async fn a_session_comes_back_whole(stores: Stores) {
    let whole = Session {
        messages: vec![json!({ "role": "user", "content": "Hi \"there\" \\ / č \u{0}" }), json!(1.5)],
        title: "t".to_owned(),
        provider: "acme".to_owned(),
        model: "m".to_owned(),
        provider_response_id: Some("r".to_owned()),
        last_read_at: Some(-1),
        expires_at: Some(i64::MAX),
        ..session("s", 5)
    };
    must(stores.sessions.create(whole.clone()).await);
    must(stores.sessions.create(session("bare", 5)).await);
    assert_eq!(must(stores.sessions.get("s").await), Some(whole));
    assert_eq!(must(stores.sessions.get("bare").await), Some(session("bare", 5)));
}

async fn an_id_is_given_once(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    let error = refused(stores.sessions.create(session("s", 6)).await);
    assert!(matches!(error, CreateSessionError::Taken { .. }), "{error}");
    assert_eq!(must(stores.sessions.get("s").await), Some(session("s", 5)));
}

async fn an_update_replaces_transcript_and_metadata(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.update("s", update(&[json!(1), json!(2)]), 6).await));
    assert!(must(stores.sessions.update("s", update(&[json!(3)]), 7).await));
    let expected =
        Session { messages: vec![json!(3)], metadata: Object::new(), updated_at: 7, ..session("s", 5) };
    assert_eq!(must(stores.sessions.get("s").await), Some(expected));
}

async fn an_empty_provider_is_kept_and_a_null_response_id_clears(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    let named = SessionUpdate {
        provider: "acme".to_owned(),
        model: "m".to_owned(),
        continuation: Continuation::From("r".to_owned()),
        ..update(&[])
    };
    let cleared = SessionUpdate { continuation: Continuation::Forget, ..update(&[]) };
    for (update, response) in [(named, Some("r")), (update(&[]), Some("r")), (cleared, None)] {
        must(stores.sessions.update("s", update, 6).await);
        let stored = must(stores.sessions.get("s").await).unwrap_or_else(|| session("lost", 0));
        assert_eq!((stored.provider.as_str(), stored.model.as_str()), ("acme", "m"));
        assert_eq!(stored.provider_response_id.as_deref(), response);
    }
}

async fn a_title_survives_an_update(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.update_title("s", "Kept", 6).await));
    must(stores.sessions.update("s", update(&[]), 7).await);
    let stored = must(stores.sessions.get("s").await).map(|session| (session.title, session.updated_at));
    assert_eq!(stored, Some(("Kept".to_owned(), 7)));
}

async fn unknown_sessions_are_told(stores: Stores) {
    assert_eq!(must(stores.sessions.get("nope").await), None);
    assert!(!must(stores.sessions.update("nope", update(&[]), 6).await));
    assert!(!must(stores.sessions.update_title("nope", "t", 6).await));
    assert!(!must(stores.sessions.acquire_lock("nope", "t", 1_000, 0).await));
    assert!(!must(stores.sessions.release_lock("nope", "t").await));
    must(stores.sessions.delete("nope").await);
}

async fn a_deleted_session_is_gone_with_its_lock(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.acquire_lock("s", "t", 1_000, 0).await));
    must(stores.sessions.delete("s").await);
    assert_eq!(must(stores.sessions.get("s").await), None);
    assert_eq!(ids(&stores, &list()).await, "");
    must(stores.sessions.create(session("s", 5)).await);
    assert!(!must(stores.sessions.release_lock("s", "t").await));
}

async fn lists_keep_workspaces_and_owners_apart(stores: Stores) {
    must(stores.sessions.create(session("a", 5)).await);
    must(stores.sessions.create(Session { owner: owner("user", "8"), ..session("b", 5) }).await);
    must(stores.sessions.create(Session { owner: owner("token", "7"), ..session("c", 5) }).await);
    must(stores.sessions.create(Session { workspace: workspace("2"), ..session("d", 5) }).await);
    assert_eq!(ids(&stores, &list()).await, "a");
    assert_eq!(ids(&stores, &SessionList { owner: owner("user", "8"), ..list() }).await, "b");
    assert_eq!(ids(&stores, &SessionList { owner: owner("token", "7"), ..list() }).await, "c");
    assert_eq!(ids(&stores, &SessionList { workspace: workspace("2"), ..list() }).await, "d");
}

async fn lists_filter_and_page_newest_first(stores: Stores) {
    for (id, created_at) in [("a", 1), ("b", 3), ("c", 3), ("d", 2)] {
        must(stores.sessions.create(session(id, created_at)).await);
    }
    must(stores.sessions.create(Session { agent_slug: "clerk".to_owned(), ..session("e", 0) }).await);
    must(stores.sessions.create(Session { context: "pipeline".to_owned(), ..session("f", 0) }).await);
    assert_eq!(ids(&stores, &list()).await, "cbdafe");
    assert_eq!(ids(&stores, &SessionList { limit: 2, offset: 1, ..list() }).await, "bd");
    assert_eq!(ids(&stores, &SessionList { limit: 0, ..list() }).await, "c");
    assert_eq!(ids(&stores, &SessionList { limit: usize::MAX, offset: usize::MAX, ..list() }).await, "");
    assert_eq!(ids(&stores, &SessionList { agent_slug: Some("clerk".to_owned()), ..list() }).await, "e");
    assert_eq!(ids(&stores, &SessionList { context: Some("pipeline".to_owned()), ..list() }).await, "f");
}

async fn lists_leave_transcripts_out_unless_asked(stores: Stores) {
    let spoken = Session { messages: vec![json!("hi")], ..session("s", 5) };
    must(stores.sessions.create(spoken.clone()).await);
    assert_eq!(must(stores.sessions.list(&list()).await), [session("s", 5)]);
    let with = SessionList { transcripts: Transcripts::Included, ..list() };
    assert_eq!(must(stores.sessions.list(&with).await), [spoken]);
}

async fn only_the_newest_recent_session_is_looked_at(stores: Stores) {
    must(stores.sessions.create(session("a", 10)).await);
    assert_eq!(recent_id(&stores, &recent(10), 0).await.as_deref(), Some("a"));
    must(stores.sessions.create(Session { messages: vec![json!("hi")], ..session("b", 11) }).await);
    assert_eq!(recent_id(&stores, &recent(10), 0).await, None, "the newest was answered");
    assert!(must(stores.sessions.acquire_lock("b", "t", 1_000, 5_000).await));
    assert_eq!(recent_id(&stores, &recent(10), 5_999).await.as_deref(), Some("b"), "it is being answered");
    assert_eq!(recent_id(&stores, &recent(10), 6_000).await, None);
}

async fn a_recent_session_fits_context_token_and_time(stores: Stores) {
    must(stores.sessions.create(session("a", 10)).await);
    let token = |id: &str| RecentSession { token_id: Some(id.to_owned()), ..recent(10) };
    assert_eq!(recent_id(&stores, &token("9"), 0).await.as_deref(), Some("a"));
    assert_eq!(recent_id(&stores, &token("8"), 0).await, None);
    assert_eq!(recent_id(&stores, &recent(11), 0).await, None);
    let other_context = RecentSession { context: "pipeline".to_owned(), ..recent(10) };
    assert_eq!(recent_id(&stores, &other_context, 0).await, None);
    let other_owner = RecentSession { owner: owner("user", "8"), ..recent(10) };
    assert_eq!(recent_id(&stores, &other_owner, 0).await, None);
    must(stores.sessions.update("a", update(&[]), 12).await);
    assert_eq!(recent_id(&stores, &token("9"), 0).await, None, "the token went with the metadata");
}

async fn a_lock_is_held_by_one(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await));
    assert!(!must(stores.sessions.acquire_lock("s", "other", 1_000, 999).await));
    assert!(must(stores.sessions.release_lock("s", "one").await));
    assert!(must(stores.sessions.acquire_lock("s", "other", 1_000, 1).await));
}

async fn its_holder_prolongs_a_lock(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await));
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 999).await));
    assert!(!must(stores.sessions.acquire_lock("s", "other", 1_000, 1_998).await));
    assert!(must(stores.sessions.acquire_lock("s", "other", 1_000, 1_999).await));
    assert!(!must(stores.sessions.acquire_lock("s", "one", 1_000, 2_000).await), "it lost the lock");
}

async fn a_lock_is_over_at_its_time_and_can_be_taken(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await));
    assert!(must(stores.sessions.acquire_lock("s", "other", 1_000, 1_000).await));
}

async fn only_the_last_token_releases(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(!must(stores.sessions.release_lock("s", "one").await));
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await));
    assert!(must(stores.sessions.acquire_lock("s", "other", 1_000, 1_000).await));
    assert!(!must(stores.sessions.release_lock("s", "one").await), "a stale token is powerless");
    assert!(must(stores.sessions.release_lock("s", "other").await), "also when its time is over");
    assert!(!must(stores.sessions.release_lock("s", "other").await));
}

async fn the_last_token_is_told_until_it_lets_go(stores: Stores) {
    assert_eq!(must(stores.sessions.lock_token("s").await), None);
    must(stores.sessions.create(session("s", 5)).await);
    assert_eq!(must(stores.sessions.lock_token("s").await), None);
    must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await);
    assert_eq!(must(stores.sessions.lock_token("s").await).as_deref(), Some("one"));
    must(stores.sessions.acquire_lock("s", "other", 1_000, 5_000).await);
    assert_eq!(must(stores.sessions.lock_token("s").await).as_deref(), Some("other"));
    must(stores.sessions.release_lock("s", "other").await);
    assert_eq!(must(stores.sessions.lock_token("s").await), None);
}

async fn a_lock_keeps_no_update_away(stores: Stores) {
    must(stores.sessions.create(session("s", 5)).await);
    assert!(must(stores.sessions.acquire_lock("s", "one", 1_000, 0).await));
    assert!(must(stores.sessions.update("s", update(&[]), 6).await));
}
