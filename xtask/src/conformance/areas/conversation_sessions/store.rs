//! A store of sessions with advisory locks.

use provost_contract::WorkspaceScope;
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Session, SessionUpdate};

/// A session and its lock.
struct Row {
    session: Session,
    lock: Option<Lock>,
}

struct Lock {
    token: String,
    expires_at_ms: i64,
}

impl Row {
    fn lock(&self, now_ms: i64) -> Option<&Lock> {
        self.lock.as_ref().filter(|lock| now_ms < lock.expires_at_ms)
    }
}

/// Sessions in the order in which they were stored.
#[derive(Default)]
pub(super) struct Sessions(Vec<Row>);

/// Whose sessions, and which of them.
pub(super) struct Filter {
    pub(super) workspace: WorkspaceScope,
    pub(super) owner: ConversationOwner,
    pub(super) agent_slug: Option<String>,
    pub(super) context: Option<String>,
}

impl Filter {
    fn shows(&self, session: &Session) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        session.workspace == self.workspace
            && session.owner == self.owner
            && fits(&self.agent_slug, &session.agent_slug)
            && fits(&self.context, &session.context)
    }
}

impl Sessions {
    fn row(&mut self, id: &str) -> Option<&mut Row> {
        self.0.iter_mut().find(|row| row.session.session_id == id)
    }

    pub(super) fn create(&mut self, session: Session) {
        self.0.push(Row { session, lock: None });
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.0.iter().map(|row| &row.session).find(|session| session.session_id == id)
    }

    pub(super) fn update(&mut self, id: &str, update: SessionUpdate, now: i64) -> bool {
        self.row(id).map(|row| row.session.update(update, now)).is_some()
    }

    pub(super) fn update_title(&mut self, id: &str, title: &str, now: i64) -> bool {
        let retitle = |row: &mut Row| {
            title.clone_into(&mut row.session.title);
            row.session.updated_at = now;
        };
        self.row(id).map(retitle).is_some()
    }

    pub(super) fn delete(&mut self, id: &str) {
        self.0.retain(|row| row.session.session_id != id);
    }

    /// Newest made first; of one second, the last stored first.
    fn newest<'a>(&'a self, filter: &Filter) -> impl Iterator<Item = &'a Row> + use<'a> {
        let mut rows: Vec<&Row> = self.0.iter().rev().filter(|row| filter.shows(&row.session)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.session.created_at));
        rows.into_iter()
    }

    pub(super) fn list<'a>(
        &'a self,
        filter: &Filter,
        (limit, offset): (usize, usize),
    ) -> impl Iterator<Item = &'a Session> + use<'a> {
        self.newest(filter).skip(offset).take(limit.max(1)).map(|row| &row.session)
    }

    /// The newest session that fits, and no other, if its transcript is empty or its lock is active.
    pub(super) fn recent_pending(
        &self,
        filter: &Filter,
        fits: impl Fn(&Session) -> bool,
        now_ms: i64,
    ) -> Option<&Session> {
        let newest = self.newest(filter).find(|row| fits(&row.session))?;
        (newest.session.messages.is_empty() || newest.lock(now_ms).is_some()).then_some(&newest.session)
    }

    /// Takes the lock of a session, or prolongs it if the token holds it.
    pub(super) fn acquire_lock(&mut self, id: &str, token: &str, ttl_ms: i64, now_ms: i64) -> bool {
        let Some(row) = self.row(id) else { return false };
        if row.lock(now_ms).is_some_and(|lock| lock.token != token) {
            return false;
        }
        row.lock = Some(Lock { token: token.to_owned(), expires_at_ms: now_ms.saturating_add(ttl_ms) });
        true
    }

    /// Lets go of the lock, whether it is over or not.
    pub(super) fn release_lock(&mut self, id: &str, token: &str) -> bool {
        let Some(row) = self.row(id) else { return false };
        let held = row.lock.as_ref().is_some_and(|lock| lock.token == token);
        if held {
            row.lock = None;
        }
        held
    }
}
