//! What happens in a run, as it happens.

use std::sync::atomic::{AtomicU64, Ordering};

use provost_contract::json::Object;
use provost_runtime::port::{Delta, Deltas, EventSink, HostError, Observed};
use tokio::sync::mpsc;

/// How many events wait for a slow listener.
const WAITING_MAX: usize = 1_024;

/// Something a listener is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// This happened.
    Event(Observed),
    /// The model speaks.
    Spoken {
        /// In this turn.
        turn: u64,
        /// This piece of its answer.
        piece: Spoken,
    },
    /// The listener was too slow: so many events were left out. They are in the journal.
    LeftOut(u64),
}

/// A piece of an answer, while the model speaks. The journal has whole answers alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Spoken {
    /// More text.
    Text(String),
    /// The answer broke off and is asked for again: what was heard of it does not count.
    Restart,
    /// The answer is whole; also one that came at once.
    Whole {
        /// All of its text.
        text: String,
        /// What it cost, as far as it was counted.
        usage: Object,
    },
}

/// The events of one run, in order. A listener that is slow misses some and is told how many; the run
/// never waits for it.
pub struct Events(mpsc::Receiver<Told>);

impl Events {
    /// The next event; none when the run stopped.
    pub async fn next(&mut self) -> Option<Told> {
        self.0.recv().await
    }
}

pub(super) struct Listener {
    sender: mpsc::Sender<Told>,
    left_out: AtomicU64,
}

/// A stream of events and where they are put in.
pub(super) fn stream() -> (Listener, Events) {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    (Listener { sender, left_out: AtomicU64::new(0) }, Events(receiver))
}

impl Listener {
    fn tell(&self, told: Told) -> Result<(), HostError> {
        let late = self.left_out.swap(0, Ordering::Relaxed);
        if late > 0 && self.sender.try_send(Told::LeftOut(late)).is_err() {
            self.left_out.fetch_add(late + 1, Ordering::Relaxed);
            return Err(HostError("the listener is slow".to_owned()));
        }
        if self.sender.try_send(told).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return Err(HostError("the listener is slow, or gone".to_owned()));
        }
        Ok(())
    }
}

impl EventSink for Listener {
    fn emit(&self, observed: &Observed) -> Result<(), HostError> {
        self.tell(Told::Event(observed.clone()))
    }
}

impl Deltas for Listener {
    fn hear(&self, turn: u64, delta: Delta<'_>) {
        let piece = match delta {
            Delta::Text(text) => Spoken::Text(text.to_owned()),
            Delta::Restart => Spoken::Restart,
            Delta::Whole { text, usage } => Spoken::Whole { text: text.to_owned(), usage: usage.clone() },
            // Calls are told of when they are declared, with what was decided about them.
            Delta::Reasoning(_) | Delta::Call { .. } | Delta::Arguments { .. } => return,
        };
        // What a slow listener misses is counted.
        drop(self.tell(Told::Spoken { turn, piece }));
    }
}
