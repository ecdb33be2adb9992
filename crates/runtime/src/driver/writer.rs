//! Writing events: numbered, stamped, chained, and durable when they have to be.

use crate::RunId;
use crate::engine::{Chain, Event, Kind, encode};
use crate::port::{Append, AppendError, Boxed, Epoch, Journal, Record, RunRow, Seq};

use super::RunError;

/// The end of a run's journal, and what was not appended yet.
pub(super) struct Writer<'a> {
    journal: &'a dyn Journal,
    pub(super) run: RunId,
    epoch: Epoch,
    chain: Chain,
    /// The head of what is durable.
    durable: Seq,
    waiting: Vec<Event>,
    /// Whether the row that was written last says that the run stopped.
    row_says_stopped: Option<bool>,
}

impl<'a> Writer<'a> {
    /// Begins the journal of a run.
    pub(super) fn new(journal: &'a dyn Journal, run: RunId, epoch: Epoch) -> Self {
        let chain = Chain::start(&run);
        Self { journal, run, epoch, chain, durable: Seq::NONE, waiting: Vec::new(), row_says_stopped: None }
    }

    /// Goes on behind what was read.
    pub(super) fn behind(journal: &'a dyn Journal, run: RunId, epoch: Epoch, last: &Record) -> Self {
        let chain = Chain::after(last);
        Self { journal, run, epoch, chain, durable: last.seq, waiting: Vec::new(), row_says_stopped: None }
    }

    /// Takes in one event; it is not durable yet.
    pub(super) fn write(&mut self, at_ms: i64, kind: Kind) -> Result<Event, RunError> {
        let event = Event::new(self.head().next(), at_ms, kind)?;
        self.waiting.push(event.clone());
        Ok(event)
    }

    /// The place of the newest event, durable or not.
    pub(super) fn head(&self) -> Seq {
        self.durable.plus(self.waiting.len())
    }

    /// Whether the run's row is to be written: it began to work, or stopped.
    pub(super) fn changes_row(&mut self, stopped: bool) -> bool {
        self.row_says_stopped.replace(stopped) != Some(stopped)
    }

    /// Whether something was taken in that is not durable.
    pub(super) fn has_news(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Hands what was taken in to the journal, with the run's row when it changed.
    pub(super) fn append(&mut self, row: Option<RunRow>) -> Boxed<'a, Result<Seq, AppendError>> {
        let events = self.waiting.drain(..);
        let batch = events.map(|event| encode(&event, self.epoch, &mut self.chain)).collect();
        let append = Append::new(self.run.clone(), self.epoch, self.durable, batch);
        self.journal.append(Append { row, ..append })
    }

    /// What was handed to the journal is durable, and this its head.
    pub(super) fn appended(&mut self, head: Seq) {
        self.durable = head;
    }
}
