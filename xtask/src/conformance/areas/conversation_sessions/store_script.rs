//! Steps against one store of sessions.

use provost_contract::json::{self, Object};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Continuation, NewSession, Session, SessionUpdate};
use provost_contract::{WorkspaceScope, loose};
use serde_json::{Value, json};

use super::store::{Filter, Sessions};
use super::{STORED_AT, owner, text_or};
use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

const LIMIT: i64 = 50;
const RECENT_SECONDS: i64 = 600;
const LOCK_SECONDS: i64 = 300;

pub(super) fn run(case: &Value) -> Answer {
    let mut script = Script { sessions: Sessions::default(), now: STORED_AT };
    let mut answers = Vec::new();
    for step in list(case, "steps") {
        if let Some(now) = input(step, "now").as_i64() {
            script.now = now;
        }
        answers.push(script.step(step)?);
    }
    Ok(answers.into())
}

struct Script {
    sessions: Sessions,
    /// Unix seconds, kept until a step changes them.
    now: i64,
}

impl Script {
    fn step(&mut self, step: &Value) -> Answer {
        let id = text(step, "session_id");
        let (now, now_ms) = (self.now, self.now * 1_000);
        let sessions = &mut self.sessions;
        Ok(match text(step, "call") {
            "create" => {
                sessions.create(new(step)?.into_session(text(step, "as").to_owned(), now));
                text(step, "as").into()
            }
            "get" => sessions.get(id).map(Session::to_value).into(),
            "update" => sessions.update(id, update(step), now).into(),
            "update_title" => sessions.update_title(id, text(step, "title"), now).into(),
            "delete" => {
                sessions.delete(id);
                true.into()
            }
            "list" => {
                let shown = loose::flag(input(input(step, "args"), "include_messages"));
                let row = |row: &Session| json!({ "session_id": row.session_id, "has_messages_key": shown });
                sessions.list(&filter(step)?, page(step)).map(row).collect()
            }
            "recent_pending" => self.recent(step)?,
            "acquire_lock" => {
                let ttl_ms = seconds(step, "ttl_seconds", LOCK_SECONDS) * 1_000;
                let taken = sessions.acquire_lock(id, text(step, "as"), ttl_ms, now_ms);
                taken.then(|| text(step, "as")).into()
            }
            "release_lock" => sessions.release_lock(id, text(step, "lock_token")).into(),
            call => return unknown_operation(call),
        })
    }

    fn recent(&self, step: &Value) -> Answer {
        let token = step.get("token_id").and_then(loose::text);
        let since = self.now - seconds(step, "seconds", RECENT_SECONDS);
        let context = Some(text_or(step, "context", "chat").to_owned());
        let filter = Filter { agent_slug: None, context, ..filter(step)? };
        let fits = |session: &Session| {
            session.created_at >= since && (token.is_none() || token == token_of(&session.metadata))
        };
        let found = self.sessions.recent_pending(&filter, fits, self.now * 1_000);
        Ok(found.map(|session| session.session_id.as_str()).into())
    }
}

fn new(step: &Value) -> Result<NewSession, Value> {
    Ok(NewSession {
        workspace: WorkspaceScope::parse(input(step, "workspace"))?,
        owner: owner_of(step)?,
        agent_slug: text(step, "agent_slug").to_owned(),
        context: text_or(step, "context", "chat").to_owned(),
        metadata: object(step, "metadata"),
    })
}

/// The token that a session's metadata names.
fn token_of(metadata: &Object) -> Option<String> {
    json::get(metadata, "token_id").and_then(loose::text)
}

/// A key that is given replaces, also when it is null; a key that is not keeps.
fn update(step: &Value) -> SessionUpdate {
    SessionUpdate {
        messages: list(step, "messages").to_vec(),
        metadata: object(step, "metadata"),
        provider: text(step, "provider").to_owned(),
        model: text(step, "model").to_owned(),
        continuation: match step.get("provider_response_id") {
            None => Continuation::Keep,
            Some(id) => id.as_str().map_or(Continuation::Forget, |id| Continuation::From(id.to_owned())),
        },
    }
}

fn filter(step: &Value) -> Result<Filter, Value> {
    let word = |key| Some(text(input(step, "args"), key)).filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(Filter {
        workspace: WorkspaceScope::parse(input(step, "workspace"))?,
        owner: owner_of(step)?,
        agent_slug: word("agent_slug"),
        context: word("context"),
    })
}

/// The limit and the offset.
fn page(step: &Value) -> (usize, usize) {
    let count = |key, default| {
        usize::try_from(input(input(step, "args"), key).as_i64().unwrap_or(default)).unwrap_or_default()
    };
    (count("limit", LIMIT), count("offset", 0))
}

fn owner_of(step: &Value) -> Result<ConversationOwner, Value> {
    match input(step, "user_id").as_u64() {
        Some(user) => Ok(ConversationOwner::new("user", user.to_string())?),
        None => owner(input(step, "owner")),
    }
}

fn seconds(step: &Value, key: &str, default: i64) -> i64 {
    input(step, key).as_i64().unwrap_or(default).max(1)
}
