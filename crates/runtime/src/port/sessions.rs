//! Sessions: conversations and their transcripts, and the lock that lets one writer at a time change one.

use provost_contract::json::Object;
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Session, SessionQuery, SessionUpdate};
use provost_contract::{WorkspaceScope, json, loose};

use super::{Boxed, Fault};

/// Whether a list carries the transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transcripts {
    /// Every session comes with an empty one.
    Left,
    Included,
}

/// A page of one owner's sessions in one workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionList {
    pub workspace: WorkspaceScope,
    pub owner: ConversationOwner,
    pub agent_slug: Option<String>,
    pub context: Option<String>,
    /// At least one is shown.
    pub limit: usize,
    pub offset: usize,
    pub transcripts: Transcripts,
}

impl From<&SessionQuery> for SessionList {
    fn from(query: &SessionQuery) -> Self {
        Self {
            workspace: query.workspace.clone(),
            owner: query.owner.clone(),
            agent_slug: query.agent_slug.clone(),
            context: query.context.clone(),
            limit: query.limit(),
            offset: query.offset,
            transcripts: Transcripts::Left,
        }
    }
}

/// A request that may be the repetition of one whose session was just made.
#[derive(Clone, Debug, PartialEq)]
pub struct RecentSession {
    pub workspace: WorkspaceScope,
    pub owner: ConversationOwner,
    pub context: String,
    /// Only a session whose metadata names this token.
    pub token_id: Option<String>,
    /// Only a session made at this Unix second or later.
    pub since: i64,
}

impl RecentSession {
    /// The token a session's metadata names.
    pub fn token_of(metadata: &Object) -> Option<String> {
        json::get(metadata, "token_id").and_then(loose::text)
    }
}

/// Why a session was not made.
#[derive(Debug, thiserror::Error)]
pub enum CreateSessionError {
    /// Nothing was written.
    #[error("a session {session_id} is there already")]
    Taken { session_id: String },
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Stored conversations. Rows of one workspace and owner are never listed for another. Locks are
/// advisory: they keep no update away, they tell writers apart.
pub trait Sessions: Send + Sync {
    /// Stores a new session.
    fn create(&self, session: Session) -> Boxed<'_, Result<(), CreateSessionError>>;

    /// The session of an id, with its transcript.
    fn get<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<Session>, Fault>>;

    /// Replaces transcript and metadata as [`Session::update`] does; false for an unknown session.
    fn update<'a>(
        &'a self,
        session_id: &'a str,
        update: SessionUpdate,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// Sets the title; false for an unknown session.
    fn update_title<'a>(
        &'a self,
        session_id: &'a str,
        title: &'a str,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// Forgets a session and its lock; an unknown one is forgotten already.
    fn delete<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<(), Fault>>;

    /// A page: newest made first; of one second, the last stored first.
    fn list<'a>(&'a self, list: &'a SessionList) -> Boxed<'a, Result<Vec<Session>, Fault>>;

    /// The newest session that fits, and no other, if its transcript is empty or its lock is active.
    fn recent_pending<'a>(
        &'a self,
        recent: &'a RecentSession,
        now_ms: i64,
    ) -> Boxed<'a, Result<Option<Session>, Fault>>;

    /// Takes the lock of a session under a token, or prolongs it if the token holds it; false when the
    /// session is unknown or its lock is active under another token. A lock is over at `now_ms + ttl_ms`
    /// and can then be taken by another.
    fn acquire_lock<'a>(
        &'a self,
        session_id: &'a str,
        token: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// The token of whoever took the lock last and did not let go, whether the lock is over or not.
    fn lock_token<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<String>, Fault>>;

    /// Lets go of the lock, whether it is over or not; false unless the token is that of the last taker.
    fn release_lock<'a>(&'a self, session_id: &'a str, token: &'a str) -> Boxed<'a, Result<bool, Fault>>;
}
