//! The rows of runs: what lists and queues ask, projected from the journals.

use super::{Boxed, Fault, Seq};
use crate::RunId;

/// One run as lists show it. True for the journal up to `head`; it can be dropped and rebuilt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    pub run: RunId,
    pub workspace: String,
    pub agent: String,
    pub session: Option<String>,
    /// The run that delegated this one.
    pub parent: Option<RunId>,
    /// The engine's word; storage only compares it.
    pub status: String,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    pub head: Seq,
    /// When the run wants to be looked at again, if nothing else happens before.
    pub wake_at_ms: Option<i64>,
    /// One line for people.
    pub summary: String,
}

/// Which runs a list shows; what is left empty does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    pub statuses: Vec<String>,
    pub workspace: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    pub parent: Option<RunId>,
    /// Runs that want to be looked at by then.
    pub wake_until_ms: Option<i64>,
}

impl RunFilter {
    /// Whether a row is shown.
    pub fn shows(&self, row: &RunRow) -> bool {
        fn fits<T: PartialEq>(wanted: Option<&T>, actual: Option<&T>) -> bool {
            wanted.is_none() || wanted == actual
        }
        (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && fits(self.workspace.as_ref(), Some(&row.workspace))
            && fits(self.agent.as_ref(), Some(&row.agent))
            && fits(self.session.as_ref(), row.session.as_ref())
            && fits(self.parent.as_ref(), row.parent.as_ref())
            && self.wake_until_ms.is_none_or(|until| row.wake_at_ms.is_some_and(|at| at <= until))
    }
}

/// Where a list goes on: after this row. Newest created first, then by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub created_at_ms: i64,
    pub run: RunId,
}

impl Cursor {
    /// The place of a row in the list.
    pub fn of(row: &RunRow) -> Self {
        Self { created_at_ms: row.created_at_ms, run: row.run.clone() }
    }
}

/// A part of a list, and where the next part starts, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunPage {
    pub rows: Vec<RunRow>,
    pub next: Option<Cursor>,
}

/// The rows of runs. An append writes a run's row together with its records; this port reads them.
pub trait Runs: Send + Sync {
    /// The row of a run.
    fn get<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<RunRow>, Fault>>;

    /// Lists rows, newest created first, then by name; at most `limit` (at least one) after the cursor.
    fn list<'a>(
        &'a self,
        filter: &'a RunFilter,
        limit: usize,
        after: Option<&'a Cursor>,
    ) -> Boxed<'a, Result<RunPage, Fault>>;

    /// Writes a row folded anew from the journal, unless the stored one is of a later head.
    fn rebuild(&self, row: RunRow) -> Boxed<'_, Result<(), Fault>>;
}
