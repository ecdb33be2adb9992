//! The open database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_runtime::port::{Fault, Stores};
use rusqlite::Connection;
use tokio::sync::Notify;

use super::broken::Broken;
use super::desk::Desk;
use super::ledger::Ledger;
use super::open;
use super::open_error::OpenError;
use super::options::{Access, Options};
use super::readers::Readers;
use super::writer::Writer;

/// An open database file, behind every port. Dropping it finishes what waits to be written.
pub struct Database {
    // Dropped before the writer: who closes last copies the log into the file, and readers cannot.
    readers: Readers,
    writer: Option<Writer>,
    /// Rings whenever this process posted a letter.
    pub(super) bell: Notify,
    path: PathBuf,
}

impl Database {
    /// Opens a file, making or upgrading it when it is opened for writing.
    ///
    /// # Errors
    /// [`OpenError`] says what the file is and what to do; nothing in it was changed.
    pub fn open(path: &Path, options: &Options) -> Result<Arc<Self>, OpenError> {
        let failed =
            |source: std::io::Error| OpenError::Failed { path: path.to_owned(), source: Box::new(source) };
        let (patience_ms, queue_max) = (options.patience_ms, options.queue_max);
        let writer = match options.access {
            Access::Write => {
                let connection = open::writing(path, options)?;
                let desk = Desk::new(connection, path.to_owned(), patience_ms);
                Some(Writer::start(desk, queue_max).map_err(failed)?)
            }
            Access::ReadOnly => None,
        };
        let connections: Result<_, _> =
            (0..options.readers.max(1)).map(|_| open::reading(path, options)).collect();
        let readers =
            Readers::start(connections?, path.to_owned(), patience_ms, queue_max).map_err(failed)?;
        Ok(Arc::new(Self { writer, readers, bell: Notify::new(), path: path.to_owned() }))
    }

    /// The database as the bundle of its ports.
    pub fn stores(self: &Arc<Self>) -> Stores {
        Stores::of(self)
    }

    pub(super) async fn write<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnMut(&Connection) -> Result<T, Broken> + Send + 'static,
    {
        let mut work = work;
        let told = move |connection: &Connection, ledger: &mut Ledger| {
            // It may be a claim, which changes a run.
            ledger.forget_runs();
            work(connection)
        };
        self.writer()?.write(told).await
    }

    pub(super) fn writer(&self) -> Result<&Writer, Fault> {
        self.writer.as_ref().ok_or_else(|| Fault::ReadOnly { place: self.path.display().to_string() })
    }

    pub(super) async fn read<T, Work>(&self, work: Work) -> Result<T, Fault>
    where
        T: Send + 'static,
        Work: FnOnce(&Connection) -> Result<T, Broken> + Send + 'static,
    {
        self.readers.read(work).await
    }
}
