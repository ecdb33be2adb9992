//! The one storage behind the ports.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use provost_contract::approval::PendingAction;
use provost_contract::task::TaskResult;
use tokio::sync::Notify;

use super::held::{Held, Kinds};
use super::inbox::Letters;
use super::ordered::Ordered;
use super::sessions::SessionShelf;
use crate::RunId;
use crate::port::{
    Address, Boxed, Claim, ClientToolRecord, Epoch, Fault, RememberedApproval, RunRow, Stores,
};

/// Everything a run has stored.
#[derive(Default)]
pub(super) struct RunEntry {
    pub(super) records: Held,
    pub(super) row: Option<RunRow>,
    pub(super) epoch: Epoch,
    /// The claim of `epoch`, unless it was released.
    pub(super) claim: Option<Claim>,
}

/// Runs and artifacts change together in an append, so one lock guards both.
#[derive(Default)]
pub(super) struct Shelf {
    /// On the heap: a table with room for more keeps the room of whole entries free.
    pub(super) runs: HashMap<RunId, Box<RunEntry>>,
    pub(super) artifacts: HashMap<Address, Vec<u8>>,
    pub(super) kinds: Kinds,
    bytes: usize,
}

impl Shelf {
    /// Makes room, or refuses.
    pub(super) fn reserve(&mut self, bytes: usize, bytes_max: usize) -> Result<(), Fault> {
        let wanted = self.bytes.saturating_add(bytes);
        if wanted > bytes_max {
            return Err(Fault::Full { place: format!("memory, {bytes_max} bytes are allowed") });
        }
        self.bytes = wanted;
        Ok(())
    }
}

/// Storage in RAM behind every port.
pub struct Storage {
    shelf: Mutex<Shelf>,
    sessions: Mutex<SessionShelf>,
    actions: Mutex<Ordered<PendingAction>>,
    remembered: Mutex<Vec<RememberedApproval>>,
    requests: Mutex<Ordered<ClientToolRecord>>,
    tasks: Mutex<HashMap<String, TaskResult>>,
    letters: Mutex<HashMap<RunId, Letters>>,
    /// Rings whenever a letter came.
    pub(super) bell: Notify,
    pub(super) bytes_max: usize,
}

impl Storage {
    /// How many bytes of records and artifacts are kept unless said otherwise.
    pub const BYTES_MAX: usize = 4 << 30;

    /// An empty storage with the usual bound.
    pub fn new() -> Arc<Self> {
        Self::with_bytes_max(Self::BYTES_MAX)
    }

    /// An empty storage that keeps at most so many bytes of records and artifacts.
    pub fn with_bytes_max(bytes_max: usize) -> Arc<Self> {
        Arc::new(Self {
            shelf: Mutex::default(),
            sessions: Mutex::default(),
            actions: Mutex::default(),
            remembered: Mutex::default(),
            requests: Mutex::default(),
            tasks: Mutex::default(),
            letters: Mutex::default(),
            bell: Notify::new(),
            bytes_max,
        })
    }

    /// A new storage as the bundle of its ports.
    pub fn stores() -> Stores {
        Stores::of(&Self::new())
    }

    pub(super) fn shelf(&self) -> MutexGuard<'_, Shelf> {
        locked(&self.shelf)
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, SessionShelf> {
        locked(&self.sessions)
    }

    pub(super) fn actions(&self) -> MutexGuard<'_, Ordered<PendingAction>> {
        locked(&self.actions)
    }

    pub(super) fn remembered(&self) -> MutexGuard<'_, Vec<RememberedApproval>> {
        locked(&self.remembered)
    }

    pub(super) fn requests(&self) -> MutexGuard<'_, Ordered<ClientToolRecord>> {
        locked(&self.requests)
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, HashMap<String, TaskResult>> {
        locked(&self.tasks)
    }

    pub(super) fn letters(&self) -> MutexGuard<'_, HashMap<RunId, Letters>> {
        locked(&self.letters)
    }
}

/// A panic elsewhere leaves whole values behind: every change below a lock is a single assignment or push.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A future that does its work when it is first polled, and never waits.
pub(super) fn at_once<'a, T>(work: impl FnOnce() -> T + Send + 'a) -> Boxed<'a, T> {
    Box::pin(async move { work() })
}
