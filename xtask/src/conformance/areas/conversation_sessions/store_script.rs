//! Steps against one store of sessions.

use std::sync::Arc;

use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Continuation, NewSession, SessionUpdate};
use provost_contract::{WorkspaceScope, loose};
use provost_runtime::memory::Storage;
use provost_runtime::port::{RecentSession, SessionList, Sessions, Transcripts};
use serde_json::{Value, json};

use super::{STORED_AT, owner, text_or};
use crate::conformance::areas::{Answer, input, list, object, text, unknown_operation};

const LIMIT: i64 = 50;
const RECENT_SECONDS: i64 = 600;
const LOCK_SECONDS: i64 = 300;

pub(super) async fn run(case: &Value) -> Answer {
    let mut script = Script { sessions: Storage::new(), now: STORED_AT };
    let mut answers = Vec::new();
    for step in list(case, "steps") {
        if let Some(now) = input(step, "now").as_i64() {
            script.now = now;
        }
        answers.push(script.step(step).await?);
    }
    Ok(answers.into())
}

struct Script {
    sessions: Arc<dyn Sessions>,
    /// Unix seconds, kept until a step changes them.
    now: i64,
}

impl Script {
    async fn step(&self, step: &Value) -> Answer {
        let id = text(step, "session_id");
        let (now, now_ms) = (self.now, self.now * 1_000);
        let answer = match text(step, "call") {
            "create" => return self.create(step).await,
            "get" => self.sessions.get(id).await.map(|found| found.map(|session| session.to_value()).into()),
            "update" => self.sessions.update(id, update(step), now).await.map(Value::from),
            "update_title" => self.sessions.update_title(id, text(step, "title"), now).await.map(Value::from),
            "delete" => self.sessions.delete(id).await.map(|()| true.into()),
            "list" => self.sessions.list(&page(step)?).await.map(|sessions| {
                let shown = page_has_messages(step);
                sessions
                    .into_iter()
                    .map(|row| json!({ "session_id": row.session_id, "has_messages_key": shown }))
                    .collect()
            }),
            "recent_pending" => self
                .sessions
                .recent_pending(&self.recent(step)?, now_ms)
                .await
                .map(|found| found.map(|session| session.session_id).into()),
            "acquire_lock" => {
                let ttl_ms = seconds(step, "ttl_seconds", LOCK_SECONDS) * 1_000;
                let taken = self.sessions.acquire_lock(id, text(step, "as"), ttl_ms, now_ms).await;
                taken.map(|taken| taken.then(|| text(step, "as")).into())
            }
            "release_lock" => self.sessions.release_lock(id, text(step, "lock_token")).await.map(Value::from),
            call => return unknown_operation(call),
        };
        answer.map_err(|fault| fault.to_string().into())
    }

    async fn create(&self, step: &Value) -> Answer {
        let new = NewSession {
            workspace: WorkspaceScope::parse(input(step, "workspace"))?,
            owner: owner_of(step)?,
            agent_slug: text(step, "agent_slug").to_owned(),
            context: text_or(step, "context", "chat").to_owned(),
            metadata: object(step, "metadata"),
        };
        let id = text(step, "as");
        let created = self.sessions.create(new.into_session(id.to_owned(), self.now)).await;
        created.map(|()| id.into()).map_err(|error| error.to_string().into())
    }

    fn recent(&self, step: &Value) -> Result<RecentSession, Value> {
        Ok(RecentSession {
            workspace: WorkspaceScope::parse(input(step, "workspace"))?,
            owner: owner_of(step)?,
            context: text_or(step, "context", "chat").to_owned(),
            token_id: step.get("token_id").and_then(loose::text),
            since: self.now - seconds(step, "seconds", RECENT_SECONDS),
        })
    }
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

fn page(step: &Value) -> Result<SessionList, Value> {
    let args = input(step, "args");
    let filter = |key| Some(text(args, key)).filter(|text| !text.is_empty()).map(str::to_owned);
    let count =
        |key, default| usize::try_from(input(args, key).as_i64().unwrap_or(default)).unwrap_or_default();
    Ok(SessionList {
        workspace: WorkspaceScope::parse(input(step, "workspace"))?,
        owner: owner_of(step)?,
        agent_slug: filter("agent_slug"),
        context: filter("context"),
        limit: count("limit", LIMIT),
        offset: count("offset", 0),
        transcripts: if page_has_messages(step) { Transcripts::Included } else { Transcripts::Left },
    })
}

fn page_has_messages(step: &Value) -> bool {
    loose::flag(input(input(step, "args"), "include_messages"))
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
