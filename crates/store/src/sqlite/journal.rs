//! The journal in SQLite: a row holds the appends of one commit, or as many as go into one.

use provost_runtime::RunId;
use provost_runtime::port::{Append, AppendError, Boxed, Epoch, Fault, Journal, Record, Seq};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::bundle::{self, Entry, MANY};
use super::counter::{counted, stored};
use super::database::Database;
use super::ledger::{Ledger, Standing};
use super::packed::Packing;
use super::{artifacts, batch, runs, span};

/// How much may be written in the thread that asks.
const SMALL_BYTES_MAX: usize = 64 << 10;

impl Journal for Database {
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>> {
        Box::pin(async move {
            append.check()?;
            let writer = self.writer()?;
            let entry = Prepared::of(append, writer.packing());
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
struct Prepared {
    /// Without its records.
    append: Append,
    head: Seq,
    records: Option<Vec<u8>>,
    chunks: Vec<Vec<Vec<u8>>>,
}

impl Prepared {
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
            let standing = Standing { no, epoch, head: self.head };
            ledger.append(connection, &append.run, standing, records)?;
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

/// Those that lie in the journal without a place, and may be of the run: they are looked through one by one.
const UNPLACED: &str = "SELECT run_no, last_seq, epoch, records FROM journal
     WHERE id > (SELECT id FROM placed) AND run_no IN (?1, ?2) ORDER BY id";
/// The same for whoever wants no records: only a bundle has to be read to know whose it is.
const UNPLACED_WHOSE: &str = "SELECT run_no, last_seq, epoch, iif(run_no = ?2, records, x'') FROM journal
     WHERE id > (SELECT id FROM placed) AND run_no IN (?1, ?2)";
const PLACED: &str =
    "SELECT last_seq, first_id, later FROM places WHERE run_no = ?1 AND last_seq >= ?2 ORDER BY last_seq";
const ROW: &str = "SELECT run_no, last_seq, epoch, records FROM journal WHERE id = ?1";

fn head(connection: &Connection, run: &RunId) -> Result<Seq, Broken> {
    let Some(no) = number(connection, run)? else { return Ok(Seq::NONE) };
    // Those without a place first: one that gets its place between the two looks is seen by both.
    let mut unplaced = connection.prepare_cached(UNPLACED_WHOSE)?;
    let mut rows = unplaced.query([no, MANY])?;
    let mut head = 0;
    while let Some(row) = rows.next()? {
        let of_run = bundle::appends(bundle::row(row)?)?.into_iter().filter(|entry| entry.run_no == no);
        head = of_run.map(|entry| entry.last_seq).fold(head, i64::max);
    }
    let placed = "SELECT coalesce(max(last_seq), 0) FROM places WHERE run_no = ?1";
    let placed: i64 = connection.prepare_cached(placed)?.query_row([no], |row| row.get(0))?;
    Ok(Seq(counted(head.max(placed))))
}

fn read(connection: &Connection, run: &RunId, from: Seq, limit: usize) -> Result<Vec<Record>, Broken> {
    // Both looks see one state of the file: no append gets its place between them and is missed by both.
    let _one_state = connection.unchecked_transaction()?;
    let Some(no) = number(connection, run)? else { return Ok(Vec::new()) };
    let mut found = Found { no, from, limit, read_to: 0, records: Vec::new() };
    let mut placed = connection.prepare_cached(PLACED)?;
    let mut spans = placed.query((no, stored(from.0)))?;
    let mut row = connection.prepare_cached(ROW)?;
    while !found.is_enough()
        && let Some(span) = spans.next()?
    {
        let later: Option<Vec<u8>> = span.get(2)?;
        for id in span::ids(span.get(1)?, later.as_deref())? {
            if found.is_enough() {
                return Ok(found.records);
            }
            let mut rows = row.query([id])?;
            if let Some(row) = rows.next()? {
                found.take_of(bundle::row(row)?)?;
            }
        }
        found.reached(span.get(0)?)?;
    }
    let mut unplaced = connection.prepare_cached(UNPLACED)?;
    let mut rows = unplaced.query([no, MANY])?;
    while !found.is_enough()
        && let Some(row) = rows.next()?
    {
        found.take_of(bundle::row(row)?)?;
    }
    Ok(found.records)
}

/// The records of a run from some place on, as far as they are read.
struct Found {
    no: i64,
    from: Seq,
    limit: usize,
    /// The sequence number of the last append that was looked at.
    read_to: i64,
    records: Vec<Record>,
}

impl Found {
    fn is_enough(&self) -> bool {
        self.records.len() >= self.limit
    }

    /// Takes what a row holds of the run and was not looked at before.
    fn take_of(&mut self, row: Entry<'_>) -> Result<(), Broken> {
        for entry in bundle::appends(row)? {
            if entry.run_no == self.no && entry.last_seq > self.read_to {
                self.read_to = entry.last_seq;
                self.take(&entry)?;
            }
        }
        Ok(())
    }

    fn reached(&self, last: i64) -> Result<(), Broken> {
        if self.read_to >= last {
            return Ok(());
        }
        Err(Broken::Damaged(format!("the records up to {last} are not where they should be")))
    }

    fn take(&mut self, entry: &Entry<'_>) -> Result<(), Broken> {
        let (last, epoch) = (Seq(counted(entry.last_seq)), Epoch(counted(entry.epoch)));
        if last < self.from || self.is_enough() {
            return Ok(());
        }
        let records = batch::decode(entry.records, last, epoch)?;
        let due = self.records.last().map_or(self.from.0.max(1), |before| before.seq.0 + 1);
        if records.first().is_some_and(|next| next.seq.0 > due) {
            return Err(Broken::Damaged(format!("the records from {due} on are missing")));
        }
        let wanted = records.into_iter().filter(|record| record.seq >= self.from);
        self.records.extend(wanted.take(self.limit - self.records.len()));
        Ok(())
    }
}

fn number(connection: &Connection, run: &RunId) -> Result<Option<i64>, Broken> {
    let mut statement = connection.prepare_cached("SELECT no FROM runs WHERE run = ?1")?;
    Ok(statement.query_row([run.as_str()], |row| row.get(0)).optional()?)
}
