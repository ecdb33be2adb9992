//! What lists are asked for: filters, cursors and pages.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_engine::{RunId, SessionId, Time, WaitId};

/// Where a page begins. Lists order by a time and an id, so a cursor is never ambiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor<Id> {
    /// The time of the last item before the page.
    pub at: Time,
    /// Its id.
    pub id: Id,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T, Id> {
    /// The items.
    pub items: Vec<T>,
    /// Where the next page begins; none at the end of the list.
    pub next: Option<Cursor<Id>>,
}

impl<T, Id> Page<T, Id> {
    /// Returns the page of at most `limit` items, given up to `limit + 1` of them.
    pub fn of(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> Cursor<Id>) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

/// Which runs are listed, newest first. An empty filter lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of this workspace.
    pub workspace: Option<String>,
    /// Only runs with this status.
    pub status: Option<String>,
    /// Only runs of this agent.
    pub agent: Option<String>,
    /// Only runs of this session.
    pub session: Option<SessionId>,
    /// Only children of this run.
    pub parent: Option<RunId>,
    /// Only runs of this tree.
    pub root: Option<RunId>,
    /// Only runs that have, or have not, ended.
    pub ended: Option<bool>,
}

/// Which waits are listed, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitFilter {
    /// Only waits of this workspace.
    pub workspace: Option<String>,
    /// Only waits of this run.
    pub run: Option<RunId>,
    /// Only waits of this tree.
    pub root: Option<RunId>,
    /// Only waits of trees whose root belongs to this session.
    pub session: Option<SessionId>,
    /// Only waits of this kind.
    pub kind: Option<String>,
    /// How far the waits are.
    pub state: WaitState,
}

/// How far a wait is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitState {
    /// It has no answer yet.
    #[default]
    Unanswered,
    /// The run has not settled it yet.
    Unsettled,
    /// All, settled ones too.
    Any,
}

/// Which sessions are listed, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions of this workspace.
    pub workspace: Option<String>,
    /// Only sessions of this owner.
    pub owner: Option<String>,
    /// Only sessions with this agent.
    pub agent: Option<String>,
    /// Only sessions of this context.
    pub context: Option<String>,
}

/// A start that may repeat one whose session was just created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentSession {
    /// The workspace.
    pub workspace: String,
    /// The owner.
    pub owner: String,
    /// The context.
    pub context: String,
    /// Only a session whose metadata has this `token_id`.
    pub token: Option<String>,
    /// Only a session created at this time or later.
    pub since: Time,
}

/// Which runs a worker takes. An empty filter takes all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimFilter {
    /// Only runs of these workspaces.
    pub workspaces: Option<Vec<String>>,
    /// Only runs of these agents.
    pub agents: Option<Vec<String>>,
    /// Only runs of these queues.
    pub queues: Option<Vec<String>>,
    /// Only these runs and everything that they delegated, at any depth.
    pub runs: Option<Arc<BTreeSet<RunId>>>,
}

/// What a prune removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneFilter {
    /// Only trees of runs that ended before this time.
    pub before: Time,
    /// Only in this workspace.
    pub workspace: Option<String>,
    /// Whether sessions that did not change since `before` go too. A run that a session names stays as
    /// long as the session does.
    pub sessions: bool,
    /// At most so many trees and so many sessions.
    pub most: usize,
    /// Whether it only says which runs and how many sessions would go. Nothing is removed then.
    pub preview: bool,
}

/// The cursor of a list of runs.
pub type RunCursor = Cursor<RunId>;
/// The cursor of a list of waits.
pub type WaitCursor = Cursor<WaitId>;
/// The cursor of a list of sessions.
pub type SessionCursor = Cursor<SessionId>;
