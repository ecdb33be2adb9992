//! What happens in a run, as it happens.

use std::sync::atomic::{AtomicU64, Ordering};

use provost_runtime::port::{EventSink, HostError, Observed};
use tokio::sync::mpsc;

/// How many events wait for a slow listener.
const WAITING_MAX: usize = 1_024;

/// Something a listener is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// This happened.
    Event(Observed),
    /// The listener was too slow: so many events were left out. They are in the journal.
    LeftOut(u64),
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

impl EventSink for Listener {
    fn emit(&self, observed: &Observed) -> Result<(), HostError> {
        let late = self.left_out.swap(0, Ordering::Relaxed);
        if late > 0 && self.sender.try_send(Told::LeftOut(late)).is_err() {
            self.left_out.fetch_add(late + 1, Ordering::Relaxed);
            return Err(HostError("the listener is slow".to_owned()));
        }
        if self.sender.try_send(Told::Event(observed.clone())).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return Err(HostError("the listener is slow, or gone".to_owned()));
        }
        Ok(())
    }
}
