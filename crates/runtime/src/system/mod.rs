//! The machine's own clock and randomness.

mod clock;
mod ids;
#[cfg(any(test, feature = "contract"))]
mod tokio_clock;

pub use clock::SystemClock;
pub use ids::{HashedIds, NoRandomness};
#[cfg(any(test, feature = "contract"))]
pub use tokio_clock::TokioClock;
