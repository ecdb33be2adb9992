//! Area `conversation-sessions`.

mod store_script;

use std::sync::Arc;

use provost_contract::principal::ConversationOwner;
use provost_contract::session::{MANAGE_CAPABILITY, NewSession, Reach, Session, owns_row};
use provost_contract::{ExecutionPrincipal, WorkspaceScope};
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::Sessions;
use provost_runtime::service::{ServiceError, SessionDesk, SessionStore};
use provost_runtime::system::HashedIds;
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation, wait};

/// The first stored session was made at this Unix second, each later one a second later.
const STORED_AT: i64 = 1_780_000_000;
const NOW_MS: i64 = (STORED_AT + 100) * 1_000;

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "owned_session" => owned_session(case),
        "store_script" => wait(store_script::run(case)),
        _ => wait(ask(op, case)),
    }
}

fn owned_session(case: &Value) -> Answer {
    let workspace = WorkspaceScope::parse(input(case, "workspace"))?;
    let owner = owner(input(case, "owner"))?;
    let row = Some(object(case, "session")).filter(|row| owns_row(row, &workspace, &owner));
    Ok(row.map_or(Value::Null, Value::Object))
}

/// Asks the desk for what an operation says.
async fn ask(op: &str, case: &Value) -> Answer {
    let desk = desk(case).await?;
    let manages = list(case, "user_capabilities").contains(&MANAGE_CAPABILITY.into());
    let reach = if manages { Reach::Everything } else { Reach::Own };
    let principal = ExecutionPrincipal::from_resolver(input(case, "principal"))?;
    let (principal, input) = (principal.as_ref(), object(case, "input"));
    let session = |session: Result<Session, ServiceError>| {
        session.map(|session| json!({ "session": session.to_value() }))
    };
    let answer = match op {
        "create_session" => session(desk.create(principal, reach, &input).await),
        "get_session" => session(desk.get(principal, reach, &input).await),
        "update_session_title" => session(desk.update_title(principal, reach, &input).await),
        "list_sessions" => desk.list(principal, reach, &input).await.map(|sessions| {
            let rows: Vec<Value> = sessions.iter().map(|session| session.summary().into()).collect();
            json!({ "sessions": rows })
        }),
        "delete_session" => desk.delete(principal, reach, &input).await.map(|()| json!({ "deleted": true })),
        _ => return unknown_operation(op),
    };
    answer.map_err(|error| error.to_value())
}

async fn desk(case: &Value) -> Result<SessionDesk, Value> {
    let storage = Storage::new();
    for (at, row) in (STORED_AT..).zip(list(case, "sessions")) {
        storage.create(stored_session(row, at)?).await.map_err(|error| Value::from(error.to_string()))?;
    }
    let store = match text(case, "store") {
        "none" => SessionStore::Missing,
        "user_only" => SessionStore::UsersOnly(storage),
        _ => SessionStore::EveryOwner(storage),
    };
    let clock = Arc::new(ManualClock::at(NOW_MS));
    Ok(SessionDesk { store, ids: Arc::new(HashedIds::from_seed(1, clock.clone())), clock })
}

fn stored_session(row: &Value, at: i64) -> Result<Session, Value> {
    let new = NewSession {
        workspace: WorkspaceScope::parse(input(row, "workspace"))?,
        owner: owner(input(row, "owner"))?,
        agent_slug: text(row, "agent_slug").to_owned(),
        context: text_or(row, "context", "chat").to_owned(),
        metadata: object(row, "metadata"),
    };
    let mut session = new.into_session(text(row, "as").to_owned(), at);
    session.messages = list(row, "messages").to_vec();
    Ok(session)
}

fn owner(value: &Value) -> Result<ConversationOwner, Value> {
    Ok(ConversationOwner::new(text_or(value, "type", "user"), text(value, "key"))?)
}

fn text_or<'a>(value: &'a Value, key: &str, default: &'a str) -> &'a str {
    Some(text(value, key)).filter(|text| !text.is_empty()).unwrap_or(default)
}
