//! The journal: what happened in a run, in order, for ever.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::{Address, Advice, Boxed, Fault, RunRow};
use crate::RunId;

/// A place in a run's journal. The first record is 1; [`Seq::NONE`] is the head of an empty journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first record.
    pub const NONE: Self = Self(0);
    /// The first record.
    pub const FIRST: Self = Self(1);

    /// The place after this one.
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// The place so many records later.
    #[must_use]
    pub fn plus(self, records: usize) -> Self {
        Self(self.0.saturating_add(records as u64))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// How often a run was claimed. [`Epoch::NONE`] is the epoch of a run nobody claimed yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl Epoch {
    /// Before the first claim.
    pub const NONE: Self = Self(0);

    /// The epoch of the next claim.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// One stored event. Storage knows its envelope only; kind, version and body are the engine's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub seq: Seq,
    pub at_ms: i64,
    pub epoch: Epoch,
    pub kind: Cow<'static, str>,
    pub version: u16,
    /// JSON, byte for byte as it was hashed. Shared with whoever works on the run.
    pub body: Arc<[u8]>,
    /// The link of the hash chain, computed by the engine. It is stored as given, or left out where it follows
    /// from what is stored.
    pub hash: [u8; 32],
}

/// What one step writes: all of it or nothing.
#[derive(Clone, Debug)]
pub struct Append {
    pub run: RunId,
    /// The writer's claim.
    pub epoch: Epoch,
    /// The head the writer knows.
    pub expected: Seq,
    /// Numbered `expected + 1`, `expected + 2`, … and stamped with `epoch`.
    pub batch: Vec<Record>,
    /// The run's row as it is after the batch, when it changed.
    pub row: Option<RunRow>,
    /// Full outputs the batch speaks of, by their addresses, so that no record outlives its artifact.
    pub artifacts: Vec<(Address, Vec<u8>)>,
}

impl Append {
    /// How many bytes of records an append may bring; what is larger is an artifact.
    pub const BYTES_MAX: usize = 64 << 20;

    /// An append of records alone.
    pub fn new(run: RunId, epoch: Epoch, expected: Seq, batch: Vec<Record>) -> Self {
        Self { run, epoch, expected, batch, row: None, artifacts: Vec::new() }
    }

    /// The head after this append.
    pub fn head(&self) -> Seq {
        self.expected.plus(self.batch.len())
    }

    /// Whether the parts of the append fit together; every adapter asks before it writes.
    ///
    /// # Errors
    /// [`AppendError::Malformed`] names the part that does not.
    pub fn check(&self) -> Result<(), AppendError> {
        let malformed = |reason| Err(AppendError::Malformed { run: self.run.clone(), reason });
        let mut seq = self.expected;
        for record in &self.batch {
            seq = seq.next();
            if record.seq != seq {
                return malformed("its records are not numbered from the expected head on");
            }
            if record.epoch != self.epoch {
                return malformed("a record is stamped with another epoch than the append");
            }
        }
        if self.batch.iter().map(|record| record.kind.len() + record.body.len()).sum::<usize>()
            > Self::BYTES_MAX
        {
            return malformed("its records are larger than an append may be");
        }
        match &self.row {
            Some(row) if row.run != self.run => malformed("its row is of another run"),
            Some(row) if row.head != self.head() => malformed("its row is of another head"),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether this append may be written now, given the run's epoch and head.
    ///
    /// # Errors
    /// [`AppendError::Fenced`] before [`AppendError::Conflict`]: who lost the run need not reload it.
    pub fn admit(&self, current: Epoch, actual: Seq) -> Result<(), AppendError> {
        if self.epoch != current {
            return Err(AppendError::Fenced { run: self.run.clone(), offered: self.epoch, current });
        }
        if self.expected != actual {
            return Err(AppendError::Conflict { run: self.run.clone(), expected: self.expected, actual });
        }
        Ok(())
    }
}

/// Why an append gave no sequence number.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Nothing was written.
    #[error("run {run} is at {actual}, the writer expected {expected}")]
    Conflict { run: RunId, expected: Seq, actual: Seq },
    /// Nothing was written.
    #[error("epoch {offered} does not hold run {run}: its claim is at epoch {current}")]
    Fenced { run: RunId, offered: Epoch, current: Epoch },
    /// A fault of the writer. Nothing was written.
    #[error("the append to run {run} was not written: {reason}")]
    Malformed { run: RunId, reason: &'static str },
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl AppendError {
    /// What the writer does next.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Conflict { .. } => Advice::Reload,
            Self::Fenced { .. } => Advice::LetGo,
            Self::Malformed { .. } => Advice::Stop,
            Self::Storage(fault) => fault.advice(),
        }
    }
}

/// Where a run's records live.
///
/// An append is durable when its future resolves. All of it happens or nothing: records, row and
/// artifacts. A wrong expected head or an epoch that is not the run's own writes nothing. Appends of
/// one caller become durable in the order they were first polled.
pub trait Journal: Send + Sync {
    /// Appends and gives the new head.
    ///
    /// # Cancel safety
    /// Dropping the future may or may not write the whole append; the head tells which.
    fn append(&self, append: Append) -> Boxed<'_, Result<Seq, AppendError>>;

    /// Reads at most `limit` records from `from` on, in order. Past the head there is nothing.
    fn read<'a>(&'a self, run: &'a RunId, from: Seq, limit: usize) -> Boxed<'a, Result<Vec<Record>, Fault>>;

    /// The place of the last record; [`Seq::NONE`] for a run never heard of.
    fn head<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Seq, Fault>>;
}
