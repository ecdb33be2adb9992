//! What the writer remembers of the journal: how far every run is, which appends are not written yet, and
//! which have no place yet.
//!
//! It is right about one state of the file. Whoever begins a transaction brings it up to date, since other
//! processes write as well, and whoever fails in one has it forget everything.

use std::collections::HashMap;

use provost_runtime::RunId;
use provost_runtime::port::{Epoch, Seq};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::bundle::{self, Bundle, Entry, MANY};
use super::counter::{counted, stored};
use super::span::Span;

/// So many appends may lie in the journal without a place. Whoever reads a run looks through all of them.
const UNPLACED_MAX: usize = 2_048;
/// So many runs are remembered.
const RUNS_MAX: usize = 4_096;

/// See the module.
#[derive(Default)]
pub(super) struct Ledger {
    /// The state of the file it is right about, as SQLite counts them.
    state: Option<i64>,
    /// The last append it knows of.
    last_id: i64,
    /// The last ones of them lie in the bundle.
    unplaced: Vec<Place>,
    bundle: Bundle,
    runs: HashMap<RunId, Standing>,
}

/// Where an append lies.
struct Place {
    run_no: i64,
    last_seq: i64,
    /// [`UNWRITTEN`], or the row's.
    id: i64,
}

/// Rows begin at one.
const UNWRITTEN: i64 = 0;

/// What decides whether an append may be written.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) no: i64,
    pub(super) epoch: Epoch,
    pub(super) head: Seq,
}

impl Ledger {
    /// Learns what others wrote. To be called when a transaction has begun.
    pub(super) fn catch_up(&mut self, connection: &Connection) -> Result<(), Broken> {
        let number = |sql: &str| connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0));
        let state = number("PRAGMA data_version")?;
        if self.state == Some(state) {
            return Ok(());
        }
        self.forget_runs();
        let placed = number("SELECT id FROM placed")?;
        self.unplaced.retain(|place| place.id > placed);
        self.last_id = self.last_id.max(placed);
        let mut later = connection.prepare_cached(
            "SELECT run_no, last_seq, epoch, iif(run_no = ?2, records, x''), id FROM journal
             WHERE id > ?1 ORDER BY id",
        )?;
        let mut rows = later.query([self.last_id, MANY])?;
        while let Some(row) = rows.next()? {
            let id = row.get(4)?;
            let place = |entry: Entry<'_>| Place { id, run_no: entry.run_no, last_seq: entry.last_seq };
            self.unplaced.extend(bundle::appends(bundle::row(row)?)?.into_iter().map(place));
            self.last_id = id;
        }
        self.state = Some(state);
        Ok(())
    }

    /// Forgets the runs, which somebody changes without telling.
    pub(super) fn forget_runs(&mut self) {
        self.runs.clear();
    }

    /// Forgets everything: what was done since the last commit has not happened.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Looks a run up.
    pub(super) fn standing(
        &mut self,
        connection: &Connection,
        run: &RunId,
    ) -> Result<Option<Standing>, Broken> {
        if let Some(standing) = self.runs.get(run) {
            return Ok(Some(*standing));
        }
        let mut statement = connection.prepare_cached(
            "SELECT no, epoch, (SELECT coalesce(max(last_seq), 0) FROM places WHERE run_no = runs.no)
             FROM runs WHERE run = ?1",
        )?;
        let found = statement.query_row([run.as_str()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        let Some((no, epoch, placed)) = found.optional()? else { return Ok(None) };
        let unplaced = self.unplaced.iter().rev().find(|place| place.run_no == no);
        let head = unplaced.map_or(placed, |place| place.last_seq);
        let standing = Standing { no, epoch: Epoch(counted(epoch)), head: Seq(counted(head)) };
        self.remember(run, standing);
        Ok(Some(standing))
    }

    /// Takes an append into the journal, where it lies when [`Self::write`] was called, and notes how its run
    /// stands now.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        run: &RunId,
        standing: Standing,
        records: &[u8],
    ) -> Result<(), Broken> {
        if !self.bundle.has_room(records.len()) {
            self.write(connection)?;
        }
        let (run_no, last_seq) = (standing.no, stored(standing.head.0));
        self.bundle.put(&Entry { run_no, last_seq, epoch: stored(standing.epoch.0), records });
        self.unplaced.push(Place { run_no, last_seq, id: UNWRITTEN });
        self.remember(run, standing);
        Ok(())
    }

    /// Writes what is not written yet.
    pub(super) fn write(&mut self, connection: &Connection) -> Result<(), Broken> {
        if self.bundle.is_empty() {
            return Ok(());
        }
        let row = self.bundle.row();
        let sql = "INSERT INTO journal (run_no, last_seq, epoch, records) VALUES (?1, ?2, ?3, ?4)";
        connection.prepare_cached(sql)?.execute((row.run_no, row.last_seq, row.epoch, row.records))?;
        self.bundle.clear();
        self.last_id = connection.last_insert_rowid();
        for place in self.unplaced.iter_mut().rev().take_while(|place| place.id == UNWRITTEN) {
            place.id = self.last_id;
        }
        Ok(())
    }

    fn remember(&mut self, run: &RunId, standing: Standing) {
        if let Some(known) = self.runs.get_mut(run) {
            *known = standing;
            return;
        }
        if self.runs.len() >= RUNS_MAX {
            self.forget_runs();
        }
        self.runs.insert(run.clone(), standing);
    }

    /// Whether many appends wait for a place.
    pub(super) fn has_many(&self) -> bool {
        self.unplaced.len() >= UNPLACED_MAX
    }

    /// Gives every append that is written its place, all of a run together.
    pub(super) fn place(&mut self, connection: &Connection) -> Result<(), Broken> {
        self.unplaced.sort_unstable_by_key(|place| (place.run_no, place.last_seq));
        let sql = "INSERT INTO places (run_no, last_seq, first_id, later) VALUES (?1, ?2, ?3, ?4)";
        let mut insert = connection.prepare_cached(sql)?;
        for of_run in self.unplaced.chunk_by(|one, next| one.run_no == next.run_no) {
            let [first, later @ ..] = of_run else { continue };
            let mut span = Span::of(first.last_seq, first.id);
            later.iter().for_each(|place| span.go_on(place.last_seq, place.id));
            insert.execute((first.run_no, span.last_seq, span.first_id, span.later))?;
        }
        self.unplaced.clear();
        connection.prepare_cached("UPDATE placed SET id = ?1")?.execute([self.last_id])?;
        Ok(())
    }
}
