//! The promises of [`Store`](super::Store) as tests; every adapter runs all of them with [`hold`].
//!
//! A promise is a private function listed in its file, so one that is written and not listed is dead code.
#![expect(clippy::indexing_slicing, reason = "a test that fails panics")]

mod answers;
mod commits;
mod dispatch;
mod lists;
mod maintenance;
mod sample;
mod sessions;
mod stored;
mod waking;

use std::sync::Arc;

use super::Store;
use crate::port::Boxed;
use crate::system::ManualClock;

/// A store under test.
pub struct Subject {
    /// An empty store whose clock is `clock`.
    pub store: Arc<dyn Store>,
    /// The clock of the store.
    pub clock: Arc<ManualClock>,
    /// Opens the same data again, as another process does.
    pub reopen: Box<dyn Fn() -> Arc<dyn Store> + Send + Sync>,
}

/// One promise, tested on a fresh store.
pub struct Promise {
    name: &'static str,
    test: fn(Subject) -> Boxed<'static, ()>,
}

/// Every promise, by concern.
pub const ALL: &[(&str, &[Promise])] = &[
    ("commits", commits::PROMISES),
    ("waking", waking::PROMISES),
    ("answers", answers::PROMISES),
    ("dispatch", dispatch::PROMISES),
    ("sessions", sessions::PROMISES),
    ("stored", stored::PROMISES),
    ("lists", lists::PROMISES),
    ("maintenance", maintenance::PROMISES),
];

/// Tests every promise, each on what `open` opens: the store, and what must live as long.
///
/// # Panics
/// When a promise is broken; the promise is named on the standard error output.
pub async fn hold<Guard>(open: impl Fn() -> (Subject, Guard)) {
    for (concern, promises) in ALL {
        for promise in *promises {
            let (subject, guard) = open();
            let mut report = Report { concern, promise: promise.name, passed: false };
            (promise.test)(subject).await;
            report.passed = true;
            drop(guard);
        }
    }
}

/// Names the broken promise while its panic unwinds.
struct Report {
    concern: &'static str,
    promise: &'static str,
    passed: bool,
}

impl Drop for Report {
    #[expect(clippy::print_stderr, reason = "a test reports to a developer")]
    fn drop(&mut self) {
        if !self.passed {
            eprintln!("broken promise: {}: {}", self.concern, self.promise);
        }
    }
}

/// Lists promises by the names of their functions.
macro_rules! promises {
    ($($name:ident),* $(,)?) => {
        pub(super) const PROMISES: &[super::Promise] = &[$(super::Promise {
            name: stringify!($name),
            test: |subject| Box::pin($name(subject)),
        }),*];
    };
}
use promises;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::MemoryStore;

    #[tokio::test]
    async fn the_store_in_ram_holds_every_promise() {
        hold(|| {
            let clock = Arc::new(ManualClock::at(1_000));
            let store = MemoryStore::new(clock.clone());
            let again = store.clone();
            let reopen = Box::new(move || Arc::new(again.clone()) as Arc<dyn Store>);
            (Subject { store: Arc::new(store), clock, reopen }, ())
        })
        .await;
    }
}
