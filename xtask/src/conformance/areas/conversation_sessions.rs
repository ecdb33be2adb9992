//! Area `conversation-sessions`.

mod store;
mod store_script;

use provost_contract::json::{self, Object};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{
    MANAGE_CAPABILITY, NewSession, Reach, Session, SessionQuery, SessionRequest, StoreSupport, owns_row,
};
use provost_contract::{ExecutionPrincipal, WorkspaceScope, loose};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

/// The first stored session was made at this Unix second, each later one a second later.
const STORED_AT: i64 = 1_780_000_000;
const NOW: i64 = STORED_AT + 100;
/// The id of a session that a case makes.
const MADE: &str = "0f5e7d1c-2a4b-4c6d-8e9f-a0b1c2d3e4f5";

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "owned_session" => owned_session(case),
        "store_script" => store_script::run(case),
        _ => ask(op, case),
    }
}

fn owned_session(case: &Value) -> Answer {
    let workspace = WorkspaceScope::parse(input(case, "workspace"))?;
    let owner = owner(input(case, "owner"))?;
    let row = Some(object(case, "session")).filter(|row| owns_row(row, &workspace, &owner));
    Ok(row.map_or(Value::Null, Value::Object))
}

/// Answers a request over the sessions of the case.
fn ask(op: &str, case: &Value) -> Answer {
    let sessions = (STORED_AT..).zip(list(case, "sessions"));
    let mut sessions = sessions.map(|(at, row)| stored_session(row, at)).collect::<Result<Vec<_>, _>>()?;
    let support = match text(case, "store") {
        "none" => StoreSupport::Missing,
        "user_only" => StoreSupport::UsersOnly,
        _ => StoreSupport::EveryOwner,
    };
    let manages = list(case, "user_capabilities").contains(&MANAGE_CAPABILITY.into());
    let reach = if manages { Reach::Everything } else { Reach::Own };
    let principal = ExecutionPrincipal::from_resolver(input(case, "principal"))?;
    let input = object(case, "input");
    let request = SessionRequest::parse(principal.as_ref(), &input, support, reach)?;
    let shown = |session: &Session| json!({ "session": session.to_value() });
    match op {
        "create_session" => {
            Ok(shown(&NewSession::parse(&request, &input).into_session(MADE.to_owned(), NOW)))
        }
        "get_session" => Ok(shown(found(&request, &mut sessions, &input)?)),
        "update_session_title" => {
            let session = found(&request, &mut sessions, &input)?;
            let title = json::get(&input, "title").and_then(loose::text).unwrap_or_default();
            session.retitle(&title, NOW)?;
            Ok(shown(session))
        }
        "list_sessions" => {
            let page = SessionQuery::parse(&request, &input).page(&sessions);
            let rows: Vec<Value> = page.into_iter().map(|session| session.summary().into()).collect();
            Ok(json!({ "sessions": rows }))
        }
        "delete_session" => found(&request, &mut sessions, &input).map(|_| json!({ "deleted": true })),
        _ => unknown_operation(op),
    }
}

/// The session that a request names, if its sender may touch it.
fn found<'a>(
    request: &SessionRequest,
    sessions: &'a mut [Session],
    input: &Object,
) -> Result<&'a mut Session, Value> {
    let id = SessionRequest::session_id(input)?;
    Ok(request.access(sessions.iter_mut().find(|session| session.session_id == id))?)
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
