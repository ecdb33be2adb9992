//! Stored sessions of a project.

use std::path::Path;

use provost_contract::WorkspaceScope;
use provost_contract::json::Object;
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{NewSession, Session};
use provost_contract::timestamp;
use provost_runtime::port::{SessionList, Stores, Transcripts};
use serde_json::{Value, json};

use crate::cli::environment;
use crate::cli::failure::{Code, Failure};

/// What kind of workspace a session of a project belongs to.
const PROJECT: &str = "project";
/// How many are looked through, and shown.
const LIST_MAX: usize = 1_000;
const TITLE_CHARS_MAX: usize = 60;

/// Whose sessions those are of whoever sits at the terminal.
fn owner() -> Result<ConversationOwner, Failure> {
    let person = environment::person();
    let name = person.strip_prefix("user:").unwrap_or(&person);
    ConversationOwner::new("user", name).map_err(|error| Failure::machine(error.message()))
}

fn workspace(folder: &Path) -> Result<WorkspaceScope, Failure> {
    WorkspaceScope::new(PROJECT, folder.to_string_lossy()).map_err(|error| Failure::machine(error.message()))
}

/// A session of a project that is not stored yet.
pub(super) fn new(folder: &Path, id: &str, agent: &str, now: i64) -> Result<Session, Failure> {
    let new = NewSession {
        workspace: workspace(folder)?,
        owner: owner()?,
        agent_slug: agent.to_owned(),
        context: "chat".to_owned(),
        metadata: Object::new(),
    };
    Ok(new.into_session(id.to_owned(), now))
}

/// The sessions of a project, the last used first, without their transcripts.
pub(super) async fn list(stores: &Stores, folder: &Path) -> Result<Vec<Session>, Failure> {
    let list = SessionList {
        workspace: workspace(folder)?,
        owner: owner()?,
        agent_slug: None,
        context: None,
        limit: LIST_MAX,
        offset: 0,
        transcripts: Transcripts::Left,
    };
    let mut sessions = stores.sessions.list(&list).await.map_err(|fault| Failure::storage(&fault))?;
    // Sorting keeps the order of what was used in the same second: the newest made first.
    sessions.sort_by_key(|session| std::cmp::Reverse(session.updated_at));
    Ok(sessions)
}

/// A session by its id, by the beginning of its id, or the last used one of a project by the word `last`.
pub(in crate::cli) async fn find(stores: &Stores, word: &str, folder: &Path) -> Result<Session, Failure> {
    let none = |message: String| Failure::new(Code::UnknownSession, message);
    let known = list(stores, folder).await?;
    let id = if word == "last" {
        let none = || none("there are no conversations here yet".to_owned()).hint("begin one: provost chat");
        known.first().map(|session| session.session_id.clone()).ok_or_else(none)?
    } else {
        let begins = |session: &&Session| session.session_id.starts_with(word);
        known.iter().find(begins).map_or_else(|| word.to_owned(), |session| session.session_id.clone())
    };
    let session = stores.sessions.get(&id).await.map_err(|fault| Failure::storage(&fault))?;
    session.ok_or_else(|| {
        none(format!("there is no conversation {word}")).hint("/sessions lists them; `last` is the last used")
    })
}

/// What a conversation is called: the first line that was said in it.
pub(super) fn title(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default().trim();
    if line.chars().count() <= TITLE_CHARS_MAX {
        return line.to_owned();
    }
    line.chars().take(TITLE_CHARS_MAX - 1).chain(['…']).collect()
}

pub(super) fn line(session: &Session, current: &str) -> String {
    let mark = if session.session_id == current { '*' } else { ' ' };
    let used = timestamp::date_time(session.updated_at);
    format!("{mark} {}  {used}  {:<10} {}", session.session_id, session.agent_slug, session.title)
}

pub(super) fn document(session: &Session, current: &str) -> Value {
    json!({
        "type": "session",
        "session": session.session_id,
        "agent": session.agent_slug,
        "title": session.title,
        "updated_at": timestamp::iso8601(session.updated_at),
        "current": session.session_id == current,
    })
}
