//! What the engine needs of the world, and what every adapter promises.
//!
//! The engine owns these traits; storage, clocks and randomness implement them. A promise stands in
//! the doc of its trait and, as a test, in `contract`, which every adapter runs.

mod artifacts;
mod claims;
mod clock;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod fault;
mod ids;
mod journal;
mod runs;
mod stores;

use std::pin::Pin;

pub use artifacts::{Address, AddressError, Artifacts};
pub use claims::{Claim, ClaimError, Claims, RenewError, SeizeError};
pub use clock::Clock;
pub use fault::{Advice, BoxError, Fault};
pub use ids::{IdKind, Ids};
pub use journal::{Append, AppendError, Epoch, Journal, Record, Seq};
pub use runs::{Cursor, RunFilter, RunPage, RunRow, Runs};
pub use stores::Stores;

/// What a port's operation returns: a future that may move between threads, so that ports can be kept as `dyn`.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
