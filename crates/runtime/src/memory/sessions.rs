//! Sessions in RAM, in the order they were stored.

use std::cmp::Reverse;
use std::collections::HashMap;

use provost_contract::session::{Session, SessionUpdate};
use serde_json::Value;

use super::storage::{Storage, at_once};
use crate::port::{Boxed, CreateSessionError, Fault, RecentSession, SessionList, Sessions, Transcripts};

/// A session, its transcript apart so that lists need not copy it, when it came, and its lock.
struct Kept {
    session: Session,
    messages: Vec<Value>,
    arrival: u64,
    lock: Option<Lock>,
}

struct Lock {
    token: String,
    expires_at_ms: i64,
}

impl Lock {
    fn is_active(&self, now_ms: i64) -> bool {
        now_ms < self.expires_at_ms
    }
}

impl Kept {
    fn whole(&self) -> Session {
        Session { messages: self.messages.clone(), ..self.session.clone() }
    }

    fn update(&mut self, update: SessionUpdate, now: i64) {
        self.session.update(update, now);
        self.messages = std::mem::take(&mut self.session.messages);
    }

    fn is_locked(&self, now_ms: i64) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.is_active(now_ms))
    }

    fn is_locked_by_another(&self, token: &str, now_ms: i64) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.is_active(now_ms) && lock.token != token)
    }

    /// Newest made first; of one second, the last stored first.
    fn place(&self) -> Reverse<(i64, u64)> {
        Reverse((self.session.created_at, self.arrival))
    }
}

#[derive(Default)]
pub(super) struct SessionShelf {
    kept: HashMap<String, Kept>,
    arrivals: u64,
}

impl SessionShelf {
    fn create(&mut self, mut session: Session) -> Result<(), CreateSessionError> {
        if self.kept.contains_key(&session.session_id) {
            return Err(CreateSessionError::Taken { session_id: session.session_id });
        }
        self.arrivals += 1;
        let messages = std::mem::take(&mut session.messages);
        let kept = Kept { arrival: self.arrivals, lock: None, messages, session };
        self.kept.insert(kept.session.session_id.clone(), kept);
        Ok(())
    }

    fn list(&self, list: &SessionList) -> Vec<Session> {
        let mut fitting: Vec<&Kept> =
            self.kept.values().filter(|kept| is_listed(&kept.session, list)).collect();
        fitting.sort_unstable_by_key(|kept| kept.place());
        let page = fitting.into_iter().skip(list.offset).take(list.limit.max(1));
        match list.transcripts {
            Transcripts::Included => page.map(Kept::whole).collect(),
            Transcripts::Left => page.map(|kept| kept.session.clone()).collect(),
        }
    }

    fn recent_pending(&self, recent: &RecentSession, now_ms: i64) -> Option<Session> {
        let fitting = self.kept.values().filter(|kept| is_recent(&kept.session, recent));
        let newest = fitting.min_by_key(|kept| kept.place())?;
        let waits = newest.messages.is_empty() || newest.is_locked(now_ms);
        waits.then(|| newest.whole())
    }
}

fn is_listed(session: &Session, list: &SessionList) -> bool {
    let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
    session.workspace == list.workspace
        && session.owner == list.owner
        && fits(&list.agent_slug, &session.agent_slug)
        && fits(&list.context, &session.context)
}

fn is_recent(session: &Session, recent: &RecentSession) -> bool {
    session.workspace == recent.workspace
        && session.owner == recent.owner
        && session.context == recent.context
        && session.created_at >= recent.since
        && (recent.token_id.is_none() || recent.token_id == RecentSession::token_of(&session.metadata))
}

impl Sessions for Storage {
    fn create(&self, session: Session) -> Boxed<'_, Result<(), CreateSessionError>> {
        at_once(move || self.sessions().create(session))
    }

    fn get<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<Session>, Fault>> {
        at_once(move || Ok(self.sessions().kept.get(session_id).map(Kept::whole)))
    }

    fn update<'a>(
        &'a self,
        session_id: &'a str,
        update: SessionUpdate,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut shelf = self.sessions();
            let Some(kept) = shelf.kept.get_mut(session_id) else { return Ok(false) };
            kept.update(update, now);
            Ok(true)
        })
    }

    fn update_title<'a>(
        &'a self,
        session_id: &'a str,
        title: &'a str,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut shelf = self.sessions();
            let Some(kept) = shelf.kept.get_mut(session_id) else { return Ok(false) };
            kept.session.title = title.to_owned();
            kept.session.updated_at = now;
            Ok(true)
        })
    }

    fn delete<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<(), Fault>> {
        at_once(move || {
            self.sessions().kept.remove(session_id);
            Ok(())
        })
    }

    fn list<'a>(&'a self, list: &'a SessionList) -> Boxed<'a, Result<Vec<Session>, Fault>> {
        at_once(move || Ok(self.sessions().list(list)))
    }

    fn recent_pending<'a>(
        &'a self,
        recent: &'a RecentSession,
        now_ms: i64,
    ) -> Boxed<'a, Result<Option<Session>, Fault>> {
        at_once(move || Ok(self.sessions().recent_pending(recent, now_ms)))
    }

    fn acquire_lock<'a>(
        &'a self,
        session_id: &'a str,
        token: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut shelf = self.sessions();
            let Some(kept) = shelf.kept.get_mut(session_id) else { return Ok(false) };
            if kept.is_locked_by_another(token, now_ms) {
                return Ok(false);
            }
            let expires_at_ms = now_ms.saturating_add(ttl_ms);
            kept.lock = Some(Lock { token: token.to_owned(), expires_at_ms });
            Ok(true)
        })
    }

    fn lock_token<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<String>, Fault>> {
        at_once(move || {
            let shelf = self.sessions();
            let lock = shelf.kept.get(session_id).and_then(|kept| kept.lock.as_ref());
            Ok(lock.map(|lock| lock.token.clone()))
        })
    }

    fn release_lock<'a>(&'a self, session_id: &'a str, token: &'a str) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            let mut shelf = self.sessions();
            let lock = shelf.kept.get_mut(session_id).map(|kept| &mut kept.lock);
            Ok(lock.is_some_and(|lock| lock.take_if(|lock| lock.token == token).is_some()))
        })
    }
}
