//! A journal whose appends are points.

use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::port::{Append, AppendError, Boxed, Fault, Journal, Record, Seq};

use super::disk::Disk;
use super::fate::{Life, Point, Silence};

/// The journal of one process.
pub(super) struct MortalJournal {
    pub(super) inner: Arc<dyn Journal>,
    pub(super) disk: Arc<dyn Disk>,
    pub(super) life: Arc<Life>,
}

impl Journal for MortalJournal {
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>> {
        Box::pin(async move {
            self.life.pass(Point::BeforeAppend).await.map_err(unknown)?;
            self.disk.writing();
            let head = self.inner.append(append).await?;
            self.life.pass(Point::AfterAppend).await.map_err(unknown)?;
            Ok(head)
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, from: Seq, limit: usize) -> Boxed<'a, Result<Vec<Record>, Fault>> {
        self.inner.read(run, from, limit)
    }

    fn head<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Seq, Fault>> {
        self.inner.head(run)
    }
}

fn unknown(silence: Silence) -> AppendError {
    AppendError::Storage(Fault::Unknown(Box::new(silence)))
}
