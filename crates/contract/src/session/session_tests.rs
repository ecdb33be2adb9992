use serde_json::{Value, json};

use super::*;
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{ExecutionPrincipal, Result, WorkspaceScope};

fn principal(more: Value) -> ExecutionPrincipal {
    let mut raw = json::into_object(json!({
        "acting_user_id": 7, "effective_agent_id": "coach", "auth_source": "user", "request_context": "rest",
    }));
    raw.extend(json::into_object(more));
    ExecutionPrincipal::parse(&Value::Object(raw)).unwrap()
}

fn ask(principal: &ExecutionPrincipal, input: Value) -> Result<SessionRequest> {
    SessionRequest::parse(Some(principal), &json::into_object(input), StoreSupport::EveryOwner, Reach::Own)
}

fn code(asked: Result<SessionRequest>) -> String {
    asked.unwrap_err().code().trim_start_matches("agents_conversation_session_").to_owned()
}

fn session(workspace_id: &str, owner_key: &str) -> Session {
    let new = NewSession {
        workspace: WorkspaceScope::new("site", workspace_id).unwrap(),
        owner: ConversationOwner::new("user", owner_key).unwrap(),
        agent_slug: "coach".to_owned(),
        context: "chat".to_owned(),
        metadata: Object::new(),
    };
    new.into_session("s".to_owned(), 10)
}

#[test]
fn the_public_can_own_nothing_whoever_says_so() {
    let visitor = |key| {
        principal(
            json!({"acting_user_id": 0, "auth_source": "audience", "owner_type": "audience", "owner_key": key}),
        )
    };
    assert_eq!(code(ask(&visitor("public"), json!({}))), "non_isolating_owner");
    assert!(ask(&visitor("browser-1"), json!({})).is_ok());
}

#[test]
fn an_asserted_owner_is_checked_wherever_it_is_asserted() {
    let user = principal(json!({}));
    let asserting = |owner: Value| ask(&user, json!({"client_context": {"session_owner": owner}}));
    assert!(asserting(json!({"type": " User ", "key": "user:7"})).is_ok());
    assert!(asserting(json!({"type": "user", "key": 7})).is_ok());
    assert_eq!(code(asserting(json!({"type": "user", "key": "8"}))), "user_owner_forbidden");
    assert_eq!(code(asserting(json!({"type": "token", "key": "7"}))), "owner_forbidden");
    assert_eq!(code(asserting(json!("me"))), "invalid_owner");
    assert_eq!(code(asserting(json!({"type": "!!", "key": "7"}))), "invalid_owner");
}

#[test]
fn a_principal_without_an_owner_has_no_sessions() {
    let job = principal(json!({"acting_user_id": 0, "auth_source": "system"}));
    assert_eq!(code(ask(&job, json!({}))), "owner_required");
}

#[test]
fn a_workspace_that_cannot_be_read_is_not_the_default_one() {
    let user = principal(json!({}));
    assert_eq!(code(ask(&user, json!({"workspace": "site:4"}))), "invalid_workspace");
    assert_eq!(ask(&user, json!({"workspace": null})).unwrap().workspace().key(), "site:default");
}

#[test]
fn only_a_manager_reaches_another_workspace_or_owner() {
    let user = principal(json!({}));
    let input = json::into_object(json!({"workspace": {"workspace_type": "site", "workspace_id": "1"}}));
    for (workspace, key, own) in [("1", "7", true), ("2", "7", false), ("1", "8", false)] {
        let reaches = |reach| {
            let request =
                SessionRequest::parse(Some(&user), &input, StoreSupport::EveryOwner, reach).unwrap();
            request.access(Some(&session(workspace, key))).is_ok()
        };
        assert_eq!(reaches(Reach::Own), own, "{workspace} {key}");
        assert!(reaches(Reach::Everything), "{workspace} {key}");
    }
}

#[test]
fn an_update_replaces_the_transcript_and_keeps_what_it_does_not_name() {
    let mut stored = session("1", "7");
    let update = |provider: &str, continuation| SessionUpdate {
        messages: vec![json!("m")],
        metadata: Object::new(),
        provider: provider.to_owned(),
        model: String::new(),
        continuation,
    };
    stored.update(update("acme", Continuation::From("r-1".to_owned())), 20);
    stored.update(update("", Continuation::Keep), 30);
    assert_eq!((stored.provider.as_str(), stored.provider_response_id.as_deref()), ("acme", Some("r-1")));
    assert_eq!((stored.created_at, stored.updated_at), (10, 30));
    stored.update(update("", Continuation::Forget), 40);
    assert_eq!(stored.provider_response_id, None);
}

#[test]
fn a_page_shows_the_newest_first() {
    let sessions: Vec<Session> = [("a", 1), ("b", 3), ("c", 3), ("d", 2)]
        .map(|(id, at)| Session { session_id: id.to_owned(), created_at: at, ..session("1", "7") })
        .into();
    let user = principal(json!({}));
    let ids = |input: Value| -> String {
        let input = json::into_object(input);
        let request =
            ask(&user, json!({"workspace": {"workspace_type": "site", "workspace_id": "1"}})).unwrap();
        let query = SessionQuery::parse(&request, &input);
        query.page(&sessions).iter().map(|session| session.session_id.as_str()).collect()
    };
    assert_eq!(ids(json!({})), "cbda");
    assert_eq!(ids(json!({"limit": 2, "offset": 1})), "bd");
    assert_eq!(ids(json!({"context": "pipeline"})), "");
}
