//! Where all writing is done: one connection, one transaction after the other.

use std::path::PathBuf;

use provost_runtime::port::Fault;
use rusqlite::{Connection, ErrorCode};

use super::broken::Broken;
use super::job::Job;
use super::ledger::Ledger;
use super::work;

/// After so many commits the log is copied into the file and written anew from its beginning. Where a
/// file does not grow, a sync has half as much to write.
const LAP_COMMITS: u32 = 64;

/// The connection that writes, and whoever sits at it.
pub(super) struct Desk {
    connection: Connection,
    path: PathBuf,
    patience_ms: u64,
    ledger: Ledger,
    /// How many commits the log has taken since it was copied.
    commits: u32,
}

/// Where a transaction failed.
enum Failure {
    /// It never began: nobody's work was looked at.
    Begin(Broken),
    /// Some work in it failed, or it does not fit as a whole.
    Work(Broken),
    /// The disk failed while it was made durable.
    Commit(Broken),
}

impl Desk {
    pub(super) fn new(connection: Connection, path: PathBuf, patience_ms: u64) -> Self {
        Self { connection, path, patience_ms, ledger: Ledger::default(), commits: 0 }
    }

    /// Does the work of a group in one transaction, and answers after its commit.
    pub(super) fn serve(&mut self, group: &mut Vec<Box<dyn Job>>) {
        match self.commit(group, self.patience_ms) {
            // One piece of work must not fail the others: each gets a transaction of its own.
            Err(Failure::Work(_)) if group.len() > 1 => {
                for mut job in group.drain(..) {
                    let outcome = self.commit(std::slice::from_mut(&mut job), self.patience_ms);
                    job.answer(outcome.map_err(|failure| self.fault(&failure)));
                }
            }
            Err(failure) => group.drain(..).for_each(|job| job.answer(Err(self.fault(&failure)))),
            Ok(()) => group.drain(..).for_each(|job| job.answer(Ok(()))),
        }
    }

    /// Does one piece of work without waiting for anybody. Gives it back when another process is in the
    /// way, or when the log is to be copied afterwards.
    pub(super) fn serve_at_once(&mut self, mut job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        if self.lap_is_over() {
            return Some(job);
        }
        match self.commit(std::slice::from_mut(&mut job), 0) {
            Err(Failure::Begin(broken)) if broken.is_busy() => return Some(job),
            outcome => job.answer(outcome.map_err(|failure| self.fault(&failure))),
        }
        None
    }

    /// Copies the log into the file when it is time.
    pub(super) fn end_lap(&mut self) {
        if !self.lap_is_over() {
            return;
        }
        self.commits = 0;
        // What is not copied stays in the log, and whoever reads looks there first.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    }

    fn lap_is_over(&self) -> bool {
        self.commits >= LAP_COMMITS
    }

    fn commit(&mut self, group: &mut [Box<dyn Job>], patience_ms: u64) -> Result<(), Failure> {
        let begin = || self.statement("BEGIN IMMEDIATE");
        work::patiently(patience_ms, begin).map_err(Failure::Begin)?;
        let worked = self.work(group).map_err(Failure::Work);
        let outcome = worked.and_then(|()| self.statement("COMMIT").map_err(Failure::of_commit));
        if outcome.is_err() {
            work::roll_back(&self.connection);
            self.ledger.forget();
        }
        self.commits += 1;
        outcome
    }

    fn work(&mut self, group: &mut [Box<dyn Job>]) -> Result<(), Broken> {
        self.ledger.catch_up(&self.connection)?;
        group.iter_mut().try_for_each(|job| job.work(&self.connection, &mut self.ledger))?;
        self.ledger.write(&self.connection)?;
        if self.lap_is_over() || self.ledger.has_many() {
            self.ledger.place(&self.connection)
        } else {
            Ok(())
        }
    }

    fn statement(&self, sql: &str) -> Result<(), Broken> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    fn fault(&self, failure: &Failure) -> Fault {
        match failure {
            Failure::Begin(broken) | Failure::Work(broken) => broken.fault(&self.path, self.patience_ms),
            Failure::Commit(Broken::Sqlite(error)) => Fault::Unknown(Box::new(error.clone())),
            Failure::Commit(broken @ Broken::Damaged(_)) => broken.fault(&self.path, self.patience_ms),
        }
    }
}

impl Failure {
    /// A commit that finds no room wrote nothing that counts; any other failing disk leaves it open.
    fn of_commit(broken: Broken) -> Self {
        if broken.code() == Some(ErrorCode::DiskFull) { Self::Work(broken) } else { Self::Commit(broken) }
    }
}
