//! The journal in SQLite: one row an append.

use provost_runtime::RunId;
use provost_runtime::port::{Append, AppendError, Boxed, Epoch, Fault, Journal, Record, Seq};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;
use super::{artifacts, batch, runs};

/// How much may be written in the thread that asks.
const SMALL_BYTES_MAX: usize = 64 << 10;

impl Journal for Database {
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>> {
        Box::pin(async move {
            append.check()?;
            let records = batch::encode(&append.batch);
            let chunks: Vec<_> = append.artifacts.iter().map(|(_, bytes)| artifacts::chunks(bytes)).collect();
            let small = append.artifacts.is_empty() && records.len() <= SMALL_BYTES_MAX;
            let work = move |connection: &_| write(connection, &append, &records, &chunks);
            if small { self.write_small(work).await? } else { self.write(work).await? }
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, limit: usize) -> Boxed<'a, Result<Vec<Record>, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| read(connection, &run, from, limit)))
    }

    fn head<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Seq, Fault>> {
        let run = run.clone();
        Box::pin(
            self.read(move |connection| Ok(standing(connection, &run)?.map_or(Seq::NONE, |run| run.head))),
        )
    }
}

/// What decides whether an append may be written.
struct Standing {
    no: i64,
    epoch: Epoch,
    head: Seq,
}

fn standing(connection: &Connection, run: &RunId) -> Result<Option<Standing>, Broken> {
    let mut statement = connection.prepare_cached(
        "SELECT no, epoch, (SELECT coalesce(max(last_seq), 0) FROM journal WHERE run_no = runs.no)
         FROM runs WHERE run = ?1",
    )?;
    let found = statement.query_row([run.as_str()], |row| {
        Ok(Standing { no: row.get(0)?, epoch: Epoch(counted(row.get(1)?)), head: Seq(counted(row.get(2)?)) })
    });
    Ok(found.optional()?)
}

fn write(
    connection: &Connection,
    append: &Append,
    records: &[u8],
    chunks: &[Vec<Vec<u8>>],
) -> Result<Result<Seq, AppendError>, Broken> {
    let standing = standing(connection, &append.run)?;
    let (epoch, head) = standing.as_ref().map(|run| (run.epoch, run.head)).unwrap_or_default();
    if let Err(refusal) = append.admit(epoch, head) {
        return Ok(Err(refusal));
    }
    for ((address, bytes), chunks) in append.artifacts.iter().zip(chunks) {
        artifacts::write(connection, address, bytes.len(), chunks)?;
    }
    if !append.batch.is_empty() {
        let no = match standing {
            Some(standing) => standing.no,
            None => add_run(connection, &append.run)?,
        };
        connection
            .prepare_cached("INSERT INTO journal (run_no, last_seq, epoch, records) VALUES (?1, ?2, ?3, ?4)")?
            .execute((no, stored(append.head().0), stored(append.epoch.0), records))?;
    }
    if let Some(row) = &append.row {
        runs::write(connection, row)?;
    }
    Ok(Ok(append.head()))
}

/// Gives a run its short key.
pub(super) fn add_run(connection: &Connection, run: &RunId) -> Result<i64, Broken> {
    connection.prepare_cached("INSERT INTO runs (run) VALUES (?1)")?.execute([run.as_str()])?;
    Ok(connection.last_insert_rowid())
}

fn read(connection: &Connection, run: &RunId, from: Seq, limit: usize) -> Result<Vec<Record>, Broken> {
    let mut statement = connection.prepare_cached(
        "SELECT last_seq, epoch, records FROM journal
         WHERE run_no = (SELECT no FROM runs WHERE run = ?1) AND last_seq >= ?2 ORDER BY last_seq",
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
