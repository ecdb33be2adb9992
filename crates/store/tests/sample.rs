//! What the tests store.

use std::path::PathBuf;
use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::port::{Append, Epoch, Record, Seq};
use provost_store::sqlite::{Database, Options};
use tempfile::TempDir;

/// A folder with a place for a database in it.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("deep/provost.db")
    }

    pub(crate) fn open(&self) -> Arc<Database> {
        self.open_with(&Options::default())
    }

    pub(crate) fn open_with(&self, options: &Options) -> Arc<Database> {
        Database::open(&self.path(), options).unwrap()
    }
}

pub(crate) fn run(name: &str) -> RunId {
    name.parse().unwrap()
}

/// An append of one record with a body of so many bytes that hardly compress.
pub(crate) fn append(run: &RunId, expected: u64, body_bytes: usize) -> Append {
    let mut state = expected.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    let record = Record {
        seq: Seq(expected + 1),
        at_ms: 1_780_000_000_000,
        epoch: Epoch::NONE,
        kind: "note".into(),
        version: 1,
        body: std::iter::repeat_with(&mut next).take(body_bytes).collect(),
        hash: [7; 32],
    };
    Append::new(run.clone(), Epoch::NONE, Seq(expected), vec![record])
}
