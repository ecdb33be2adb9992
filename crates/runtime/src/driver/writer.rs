//! Writing events: numbered, stamped, chained, and durable when they have to be.

use crate::RunId;
use crate::engine::{Chain, Event, Kind, encode};
use crate::port::{Append, Epoch, Journal, Record, Seq};

use super::RunError;

/// The end of a run's journal, and what was not appended yet.
pub(super) struct Writer<'a> {
    journal: &'a dyn Journal,
    run: RunId,
    epoch: Epoch,
    chain: Chain,
    /// The head of what is durable.
    durable: Seq,
    waiting: Vec<Record>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(journal: &'a dyn Journal, run: RunId, epoch: Epoch) -> Self {
        let chain = Chain::start(&run);
        Self { journal, run, epoch, chain, durable: Seq::NONE, waiting: Vec::new() }
    }

    /// Takes in one event; it is not durable yet.
    pub(super) fn write(&mut self, at_ms: i64, kind: Kind) -> Result<Event, RunError> {
        let event = Event { seq: self.durable.plus(self.waiting.len() + 1), at_ms, kind };
        self.waiting.push(encode(&event, self.epoch, &mut self.chain)?);
        Ok(event)
    }

    /// Makes durable what was taken in.
    pub(super) async fn flush(&mut self) -> Result<(), RunError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.waiting);
        let append = Append::new(self.run.clone(), self.epoch, self.durable, batch);
        self.durable = self.journal.append(append).await?;
        Ok(())
    }
}
