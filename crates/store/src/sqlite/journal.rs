//! The journal in SQLite: one row an append.

use provost_runtime::RunId;
use provost_runtime::port::{Append, AppendError, Boxed, Epoch, Fault, Journal, Record, Seq};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;
use super::ledger::{Ledger, Standing};
use super::packed::Packing;
use super::{artifacts, batch, runs};

/// How much may be written in the thread that asks.
const SMALL_BYTES_MAX: usize = 64 << 10;

impl Journal for Database {
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>> {
        Box::pin(async move {
            append.check()?;
            let writer = self.writer()?;
            let entry = Entry::of(append, writer.packing());
            let small = entry.is_small();
            let work = move |connection: &Connection, ledger: &mut Ledger| entry.write(connection, ledger);
            if small { writer.write_small(work).await? } else { writer.write(work).await? }
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, limit: usize) -> Boxed<'a, Result<Vec<Record>, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| read(connection, &run, from, limit)))
    }

    fn head<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Seq, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| head(connection, &run)))
    }
}

/// An append as it will lie on the disk. Whoever asked works out the bytes, so that the writer only writes.
struct Entry {
    /// Without its records.
    append: Append,
    head: Seq,
    records: Option<Vec<u8>>,
    chunks: Vec<Vec<Vec<u8>>>,
}

impl Entry {
    fn of(mut append: Append, packing: Packing) -> Self {
        let head = append.head();
        let batch = std::mem::take(&mut append.batch);
        let records = (!batch.is_empty()).then(|| batch::encode(&batch, packing));
        let chunks = append.artifacts.iter().map(|(_, bytes)| artifacts::chunks(bytes)).collect();
        Self { append, head, records, chunks }
    }

    fn is_small(&self) -> bool {
        self.chunks.is_empty() && self.records.as_ref().is_none_or(|records| records.len() <= SMALL_BYTES_MAX)
    }

    fn write(
        &self,
        connection: &Connection,
        ledger: &mut Ledger,
    ) -> Result<Result<Seq, AppendError>, Broken> {
        let append = &self.append;
        let standing = ledger.standing(connection, &append.run)?;
        let (epoch, head) = standing.map(|run| (run.epoch, run.head)).unwrap_or_default();
        if let Err(refusal) = append.admit(epoch, head) {
            return Ok(Err(refusal));
        }
        for ((address, bytes), chunks) in append.artifacts.iter().zip(&self.chunks) {
            artifacts::write(connection, address, bytes.len(), chunks)?;
        }
        if let Some(records) = &self.records {
            let no = match standing {
                Some(standing) => standing.no,
                None => add_run(connection, &append.run)?,
            };
            let sql = "INSERT INTO journal (run_no, last_seq, epoch, records) VALUES (?1, ?2, ?3, ?4)";
            let values = (no, stored(self.head.0), stored(epoch.0), records);
            connection.prepare_cached(sql)?.execute(values)?;
            let id = connection.last_insert_rowid();
            ledger.note(&append.run, Standing { no, epoch, head: self.head }, id);
        }
        if let Some(row) = &append.row {
            runs::write(connection, row)?;
        }
        Ok(Ok(self.head))
    }
}

/// Gives a run its short key.
pub(super) fn add_run(connection: &Connection, run: &RunId) -> Result<i64, Broken> {
    connection.prepare_cached("INSERT INTO runs (run) VALUES (?1)")?.execute([run.as_str()])?;
    Ok(connection.last_insert_rowid())
}

/// The appends that lie in the journal without a place are looked through one by one.
fn head(connection: &Connection, run: &RunId) -> Result<Seq, Broken> {
    let mut statement = connection.prepare_cached(
        "SELECT max(
             (SELECT coalesce(max(last_seq), 0) FROM places WHERE run_no = no),
             (SELECT coalesce(max(last_seq), 0) FROM journal WHERE id > (SELECT id FROM placed) AND run_no = no))
         FROM runs WHERE run = ?1",
    )?;
    let found = statement.query_row([run.as_str()], |row| row.get(0)).optional()?;
    Ok(Seq(counted(found.unwrap_or_default())))
}

fn read(connection: &Connection, run: &RunId, from: Seq, limit: usize) -> Result<Vec<Record>, Broken> {
    // One statement, so that no append gets its place between two looks and is missed by both.
    let mut statement = connection.prepare_cached(
        "SELECT places.last_seq, epoch, records FROM places JOIN journal USING (id)
         WHERE places.run_no = (SELECT no FROM runs WHERE run = ?1) AND places.last_seq >= ?2
         UNION ALL
         SELECT last_seq, epoch, records FROM journal
         WHERE id > (SELECT id FROM placed)
             AND run_no = (SELECT no FROM runs WHERE run = ?1) AND last_seq >= ?2
         ORDER BY 1",
    )?;
    let mut rows = statement.query((run.as_str(), stored(from.0)))?;
    let mut records = Vec::new();
    while records.len() < limit
        && let Some(row) = rows.next()?
    {
        let (last, epoch) = (Seq(counted(row.get(0)?)), Epoch(counted(row.get(1)?)));
        let bytes = row.get_ref(2)?.as_blob().map_err(|error| Broken::Damaged(error.to_string()))?;
        let wanted = batch::decode(bytes, last, epoch)?.into_iter().filter(|record| record.seq >= from);
        records.extend(wanted.take(limit - records.len()));
    }
    Ok(records)
}
