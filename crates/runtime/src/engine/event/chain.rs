//! The hash chain over a run's records: change one byte of one record and it no longer verifies.

use provost_contract::canonical;

use crate::RunId;
use crate::port::{Epoch, Record, Seq};

/// The link before the first record names the run, so that no journal passes for another.
const GENESIS: &str = "provost.journal.v1";

/// The end of a chain: what the next record is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain([u8; 32]);

/// The first record that does not fit its chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("record {seq} of {run} is not what was written")]
pub struct Broken {
    /// The run.
    pub run: RunId,
    /// Where the chain breaks.
    pub seq: Seq,
}

impl Chain {
    /// The chain of a run without records.
    pub fn start(run: &RunId) -> Self {
        Self(canonical::sha256(format!("{GENESIS}\n{run}").as_bytes()))
    }

    /// Goes on from a record read earlier.
    pub fn after(record: &Record) -> Self {
        Self(record.hash)
    }

    /// The hash of the newest record.
    pub(crate) fn hash(self) -> [u8; 32] {
        self.0
    }

    /// Binds a record to everything before it.
    pub(crate) fn seal(&mut self, mut record: Record) -> Record {
        self.0 = self.link(&record);
        record.hash = self.0;
        record
    }

    /// Checks records that follow this end of the chain.
    ///
    /// # Errors
    /// The first record whose hash is not the one of its bytes and predecessors.
    pub fn verify(mut self, run: &RunId, records: &[Record]) -> Result<Self, Broken> {
        for record in records {
            self.0 = self.link(record);
            if self.0 != record.hash {
                return Err(Broken { run: run.clone(), seq: record.seq });
            }
        }
        Ok(self)
    }

    /// The hash of the previous link, the envelope and the body. Every part has a fixed width or a length
    /// before it, so that no two records share their bytes.
    fn link(self, record: &Record) -> [u8; 32] {
        let Epoch(epoch) = record.epoch;
        let kind = record.kind.as_bytes();
        canonical::sha256_of_parts(&[
            &self.0,
            [record.seq.0.to_be_bytes(), record.at_ms.to_be_bytes(), epoch.to_be_bytes()].as_flattened(),
            &record.version.to_be_bytes(),
            &(kind.len() as u64).to_be_bytes(),
            kind,
            &record.body,
        ])
    }
}
