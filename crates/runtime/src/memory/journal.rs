//! Journals in RAM: the appends of a run in their order.

use super::storage::{Shelf, Storage, at_once};
use crate::RunId;
use crate::port::{Append, AppendError, Boxed, Fault, Journal, Record, Seq};

impl Journal for Storage {
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>> {
        at_once(move || {
            append.check()?;
            self.shelf().append(append, self.bytes_max)
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, limit: usize) -> Boxed<'a, Result<Vec<Record>, Fault>> {
        at_once(move || {
            let shelf = self.shelf();
            let entry = shelf.runs.get(run);
            Ok(entry
                .map(|entry| entry.records.from(run, from, &shelf.kinds).take(limit).collect())
                .unwrap_or_default())
        })
    }

    fn head<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Seq, Fault>> {
        at_once(move || Ok(self.shelf().runs.get(run).map_or(Seq::NONE, |entry| entry.records.head())))
    }
}

impl Shelf {
    fn append(&mut self, append: Append, bytes_max: usize) -> Result<Seq, AppendError> {
        let (epoch, head) =
            self.runs.get(&append.run).map(|entry| (entry.epoch, entry.records.head())).unwrap_or_default();
        append.admit(epoch, head)?;
        let mut new_artifacts = append.artifacts;
        new_artifacts.retain(|(address, _)| !self.artifacts.contains_key(address));
        let bytes = append.batch.iter().map(|record| size_of::<Record>() + record.body.len()).sum::<usize>()
            + new_artifacts.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        self.reserve(bytes, bytes_max)?;
        self.artifacts.extend(new_artifacts);
        let entry = self.runs.entry(append.run).or_default();
        entry.records.extend(append.batch, &mut self.kinds);
        entry.row = append.row.or(entry.row.take());
        Ok(entry.records.head())
    }
}
