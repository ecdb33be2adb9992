//! Area `conversation-sessions`.

use provost_contract::principal::ConversationOwner;
use provost_contract::session::{
    MANAGE_CAPABILITY, NewSession, Reach, Session, SessionQuery, SessionRequest, StoreSupport, owns_row,
};
use provost_contract::{ExecutionPrincipal, WorkspaceScope, json};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

/// The first stored session was made at this Unix second, each later one a second later.
const STORED_AT: i64 = 1_780_000_000;
const NOW: i64 = STORED_AT + 100;
const NEW_ID: &str = "00000000-0000-4000-8000-000000000000";

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "owned_session" => owned_session(case),
        "create_session" => {
            let new = NewSession::parse(&request(case)?, &object(case, "input"));
            Ok(json!({ "session": new.into_session(NEW_ID.to_owned(), NOW).to_value() }))
        }
        "get_session" => Ok(json!({ "session": accessed(case)?.to_value() })),
        "list_sessions" => {
            let query = SessionQuery::parse(&request(case)?, &object(case, "input"));
            let sessions = stored(case)?;
            let page: Vec<Value> = query.page(&sessions).iter().map(|it| it.summary().into()).collect();
            Ok(json!({ "sessions": page }))
        }
        "update_session_title" => {
            let mut session = accessed(case)?;
            session.retitle(text(input(case, "input"), "title"), NOW)?;
            Ok(json!({ "session": session.to_value() }))
        }
        "delete_session" => accessed(case).map(|_| json!({ "deleted": true })),
        _ => unknown_operation(op),
    }
}

fn owned_session(case: &Value) -> Answer {
    let workspace = WorkspaceScope::parse(input(case, "workspace"))?;
    let owner = owner(input(case, "owner"))?;
    let row = Some(object(case, "session")).filter(|row| owns_row(row, &workspace, &owner));
    Ok(row.map_or(Value::Null, Value::Object))
}

fn request(case: &Value) -> Result<SessionRequest, Value> {
    let store = match text(case, "store") {
        "none" => StoreSupport::Missing,
        "user_only" => StoreSupport::UsersOnly,
        _ => StoreSupport::EveryOwner,
    };
    let manages = list(case, "user_capabilities").contains(&MANAGE_CAPABILITY.into());
    let reach = if manages { Reach::Everything } else { Reach::Own };
    let principal = ExecutionPrincipal::from_resolver(input(case, "principal"))?;
    Ok(SessionRequest::parse(principal.as_ref(), &object(case, "input"), store, reach)?)
}

/// The session a request names, when its sender may touch it.
fn accessed(case: &Value) -> Result<Session, Value> {
    let request = request(case)?;
    let id = SessionRequest::session_id(&object(case, "input"))?;
    Ok(request.access(stored(case)?.into_iter().find(|session| session.session_id == id))?)
}

fn stored(case: &Value) -> Result<Vec<Session>, Value> {
    (STORED_AT..).zip(list(case, "sessions")).map(|(at, row)| stored_session(row, at)).collect()
}

fn stored_session(row: &Value, at: i64) -> Result<Session, Value> {
    let new = NewSession {
        workspace: WorkspaceScope::parse(input(row, "workspace"))?,
        owner: owner(input(row, "owner"))?,
        agent_slug: text(row, "agent_slug").to_owned(),
        context: Some(text(row, "context")).filter(|it| !it.is_empty()).unwrap_or("chat").to_owned(),
        metadata: object(row, "metadata"),
    };
    let mut session = new.into_session(text(row, "as").to_owned(), at);
    session.messages = json::list(&json::into_object(row.clone()), "messages").cloned().unwrap_or_default();
    Ok(session)
}

fn owner(value: &Value) -> Result<ConversationOwner, Value> {
    Ok(ConversationOwner::new(text(value, "type"), text(value, "key"))?)
}
