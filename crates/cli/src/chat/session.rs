//! Stored sessions of a project.

use std::path::Path;

use provost::SessionOptions;
use provost_contract::timestamp;
use provost_runtime::store::{SessionFilter, SessionRow, Store};
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::identity;

/// Where these conversations take place.
const CONTEXT: &str = "chat";
/// How many are looked through, and shown.
const LIST_MAX: usize = 1_000;
const TITLE_CHARS_MAX: usize = 60;

/// A conversation of a project that is not stored yet.
pub(super) fn new(folder: &Path, id: &str, agent: &str, words: &str) -> SessionOptions {
    SessionOptions {
        id: Some(id.to_owned()),
        workspace: folder.to_string_lossy().into_owned(),
        owner: identity::person(),
        agent: agent.to_owned(),
        context: CONTEXT.to_owned(),
        title: Some(title(words)),
        metadata: Value::Null,
    }
}

/// The conversations of the person at the terminal in a project, the last used first.
pub(super) async fn list(store: &dyn Store, folder: &Path) -> Result<Vec<SessionRow>, Failure> {
    let filter = SessionFilter {
        workspace: Some(folder.to_string_lossy().into_owned()),
        owner: Some(identity::person()),
        agent: None,
        context: Some(CONTEXT.to_owned()),
    };
    let page = store.sessions(filter, None, LIST_MAX).await.map_err(|fault| Failure::storage(&fault))?;
    let mut sessions = page.items;
    // Sorting leaves the order of what was used at the same time: the newest made first.
    sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
    Ok(sessions)
}

/// A conversation by its id, by the beginning of its id, or the last used one of a project by the word `last`.
pub(crate) async fn find(store: &dyn Store, word: &str, folder: &Path) -> Result<SessionRow, Failure> {
    let none = |message: String| Failure::new(Code::UnknownSession, message);
    let known = list(store, folder).await?;
    if word == "last" {
        let none = || none("there are no conversations here yet".to_owned()).hint("begin one: provost chat");
        return known.into_iter().next().ok_or_else(none);
    }
    if let Some(session) = known.into_iter().find(|session| session.about.session.as_str().starts_with(word))
    {
        return Ok(session);
    }
    let session = match word.parse() {
        Ok(id) => store.session(id).await.map_err(|fault| Failure::storage(&fault))?,
        Err(_) => None,
    };
    session.ok_or_else(|| {
        none(format!("there is no conversation {word}")).hint("/sessions lists them; `last` is the last used")
    })
}

/// What a conversation is called: the first line that was said in it.
fn title(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default().trim();
    if line.chars().count() <= TITLE_CHARS_MAX {
        return line.to_owned();
    }
    line.chars().take(TITLE_CHARS_MAX - 1).chain(['…']).collect()
}

pub(super) fn line(session: &SessionRow, current: &str) -> String {
    let about = &session.about;
    let mark = if about.session.as_str() == current { '*' } else { ' ' };
    let used = timestamp::date_time(session.updated.0.div_euclid(1_000));
    let title = about.title.as_deref().unwrap_or_default();
    format!("{mark} {}  {used}  {:<10} {title}", about.session, about.agent)
}

pub(super) fn document(session: &SessionRow, current: &str) -> Value {
    let about = &session.about;
    json!({
        "type": "session",
        "session": about.session.as_str(),
        "agent": about.agent,
        "title": about.title,
        "updated_at": timestamp::iso8601(session.updated.0.div_euclid(1_000)),
        "current": about.session.as_str() == current,
    })
}
