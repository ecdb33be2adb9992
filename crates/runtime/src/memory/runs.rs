//! The rows of runs in RAM.

use std::cmp::Reverse;

use super::storage::{Storage, at_once};
use crate::RunId;
use crate::port::{Boxed, Cursor, Fault, RunFilter, RunPage, RunRow, Runs};

impl Runs for Storage {
    fn get<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<RunRow>, Fault>> {
        at_once(move || Ok(self.shelf().runs.get(run).and_then(|entry| entry.row.clone())))
    }

    fn list<'a>(
        &'a self,
        filter: &'a RunFilter,
        limit: usize,
        after: Option<&'a Cursor>,
    ) -> Boxed<'a, Result<RunPage, Fault>> {
        at_once(move || {
            let shelf = self.shelf();
            let mut rows: Vec<&RunRow> = shelf.runs.values().filter_map(|entry| entry.row.as_ref()).collect();
            rows.retain(|row| filter.shows(row) && after.is_none_or(|cursor| place(row) > place_of(cursor)));
            rows.sort_unstable_by_key(|row| place(row));
            let limit = limit.max(1);
            let more = rows.len() > limit;
            rows.truncate(limit);
            let next = rows.last().filter(|_| more).map(|row| Cursor::of(row));
            Ok(RunPage { rows: rows.into_iter().cloned().collect(), next })
        })
    }

    fn rebuild(&self, row: RunRow) -> Boxed<'_, Result<(), Fault>> {
        at_once(move || {
            let mut shelf = self.shelf();
            let entry = shelf.runs.entry(row.run.clone()).or_default();
            if entry.row.as_ref().is_none_or(|stored| stored.head <= row.head) {
                entry.row = Some(row);
            }
            Ok(())
        })
    }
}

/// Newest created first, then by name.
fn place(row: &RunRow) -> (Reverse<i64>, &RunId) {
    (Reverse(row.created_at_ms), &row.run)
}

fn place_of(cursor: &Cursor) -> (Reverse<i64>, &RunId) {
    (Reverse(cursor.created_at_ms), &cursor.run)
}
