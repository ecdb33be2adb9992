//! Sessions: conversations over many runs. An entry points to an event; no text is copied, and no run.

use std::sync::Arc;

use provost_contract::Message;
use provost_engine::SessionId;

use crate::actor::{LoadError, Shared, session_transcript};
use crate::port::Fault;
use crate::store::{
    Entry, Imported, NewSession, Page, RecentSession, SessionCursor, SessionError, SessionFilter, SessionRow,
};

/// Why a session could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionDoorError {
    /// There is no such session. It is not contention.
    #[error("session {0} does not exist")]
    Missing(SessionId),
    /// The session refused the change.
    #[error(transparent)]
    Refused(#[from] SessionError),
    /// A run of the session cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// The doors to sessions. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    shared: Arc<Shared>,
}

impl Sessions {
    /// Returns the doors to the sessions of a store.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Creates a session.
    ///
    /// # Errors
    /// If it exists, or the store fails.
    pub async fn create(&self, new: NewSession) -> Result<SessionRow, SessionDoorError> {
        Ok(self.shared.store.create_session(new).await?)
    }

    /// Returns a session.
    ///
    /// # Errors
    /// If there is none, or the store fails.
    pub async fn get(&self, session: &SessionId) -> Result<SessionRow, SessionDoorError> {
        let row = self.shared.store.session(session.clone()).await?;
        row.ok_or_else(|| SessionDoorError::Missing(session.clone()))
    }

    /// Returns a page of sessions, newest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn list(
        &self,
        filter: SessionFilter,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Result<Page<SessionRow, SessionId>, SessionDoorError> {
        Ok(self.shared.store.sessions(filter, after, limit).await?)
    }

    /// Gives a session another title.
    ///
    /// # Errors
    /// If there is no such session, or the store fails.
    pub async fn rename(&self, session: &SessionId, title: Option<String>) -> Result<(), SessionDoorError> {
        Ok(self.shared.store.rename_session(session.clone(), title).await?)
    }

    /// Returns what was said in a session, up to an entry if one is given.
    ///
    /// # Errors
    /// If there is no such session, a run of it cannot be read, or the store fails.
    pub async fn history(
        &self,
        session: &SessionId,
        upto: Option<u64>,
    ) -> Result<Vec<Arc<Message>>, SessionDoorError> {
        let head = self.get(session).await?.head;
        let upto = upto.unwrap_or(head).min(head);
        let shared = &self.shared;
        Ok(session_transcript(&*shared.store, &*shared.agents, session, upto).await?)
    }

    /// Returns the entries of a session behind one, in order.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn entries(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Entry>, SessionDoorError> {
        Ok(self.shared.store.session_entries(session.clone(), after, limit).await?)
    }

    /// Creates a session that goes on from an entry of another one. Its entries point to the same events.
    ///
    /// # Errors
    /// If there is no such session or entry, the new one exists, or the store fails.
    pub async fn fork(
        &self,
        session: &SessionId,
        upto: u64,
        new: NewSession,
    ) -> Result<SessionRow, SessionDoorError> {
        Ok(self.shared.store.fork_session(session.clone(), upto, new).await?)
    }

    /// Adds messages that no run said, such as an imported conversation, to a session that is free.
    ///
    /// # Errors
    /// If a run holds the session, it changed meanwhile, or the store fails.
    pub async fn import(&self, session: &SessionId, messages: &[Message]) -> Result<u64, SessionDoorError> {
        let row = self.get(session).await?;
        let entries = messages
            .iter()
            .map(|message| Imported { kind: "imported".into(), body: message.to_value() })
            .collect();
        Ok(self.shared.store.append_session(session.clone(), row.version, entries).await?)
    }

    /// Returns the newest session that fits, if it is empty or a run is active in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recent_pending(
        &self,
        recent: RecentSession,
    ) -> Result<Option<SessionRow>, SessionDoorError> {
        Ok(self.shared.store.recent_pending(recent).await?)
    }
}
