//! Where a play keeps things: what the next process finds when it opens them.

use std::path::PathBuf;

use provost_runtime::memory::Storage;
use provost_runtime::port::Stores;
use provost_store::sqlite::{Database, Options};

use crate::Failure;

/// What is stored, for one process after the other.
pub(super) trait Disk: Send + Sync {
    /// Opens it for a new process.
    fn open(&self) -> Result<Stores, Failure>;

    /// An append is about to be written.
    fn writing(&self) {}

    /// The process died. What it had open is still open.
    fn died(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// Memory that outlives the processes of a play.
pub(super) struct Ram(Stores);

impl Ram {
    pub(super) fn new() -> Self {
        Self(Storage::stores())
    }
}

impl Disk for Ram {
    fn open(&self) -> Result<Stores, Failure> {
        Ok(self.0.clone())
    }
}

/// A database file.
pub(super) struct SqliteFile(pub(super) PathBuf);

impl Disk for SqliteFile {
    fn open(&self) -> Result<Stores, Failure> {
        Ok(Database::open(&self.0, &Options::default())?.stores())
    }
}
