//! The promises of the ports as tests; every adapter runs all of them with [`hold`].
//!
//! A promise is a private function listed in its file, so one that is written and not listed is dead code.

mod approval_memory;
mod approvals;
mod artifacts;
mod claims;
mod client_tool_requests;
mod inbox;
mod journal;
mod runs;
mod sample;
mod sessions;
mod task_runs;

use super::{Boxed, Stores};

/// One promise, tested on a fresh storage.
pub struct Promise {
    name: &'static str,
    test: fn(Stores) -> Boxed<'static, ()>,
}

/// Every port and its promises.
pub const ALL: &[(&str, &[Promise])] = &[
    ("approval_memory", approval_memory::PROMISES),
    ("approvals", approvals::PROMISES),
    ("artifacts", artifacts::PROMISES),
    ("claims", claims::PROMISES),
    ("client_tool_requests", client_tool_requests::PROMISES),
    ("inbox", inbox::PROMISES),
    ("journal", journal::PROMISES),
    ("runs", runs::PROMISES),
    ("sessions", sessions::PROMISES),
    ("task_runs", task_runs::PROMISES),
];

/// Tests every promise of every port, each on what `open` opens: the ports, and whatever must live as long.
///
/// # Panics
/// When a promise is broken; the panic of the promise itself names the place.
pub async fn hold<Guard>(open: impl Fn() -> (Stores, Guard)) {
    for (port, promises) in ALL {
        assert!(!promises.is_empty(), "{port} promises nothing");
        for promise in *promises {
            let (stores, guard) = open();
            let mut told = Told { port, promise: promise.name, kept: false };
            (promise.test)(stores).await;
            told.kept = true;
            drop(guard);
        }
    }
}

/// Says which promise was broken while the panic passes by.
struct Told {
    port: &'static str,
    promise: &'static str,
    kept: bool,
}

impl Drop for Told {
    #[expect(clippy::print_stderr, reason = "a test talks to a developer")]
    fn drop(&mut self) {
        if !self.kept {
            eprintln!("broken promise: {}: {}", self.port, self.promise);
        }
    }
}

/// Lists promises by the names of their functions.
macro_rules! promises {
    ($($name:ident),* $(,)?) => {
        pub(super) const PROMISES: &[super::Promise] = &[$(super::Promise {
            name: stringify!($name),
            test: |stores| Box::pin($name(stores)),
        }),*];
    };
}
use promises;
