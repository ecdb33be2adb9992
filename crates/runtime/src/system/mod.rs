//! The machine's own clock and randomness, and a clock that a test moves.

mod clock;
mod ids;
mod manual_clock;
#[cfg(any(test, feature = "contract"))]
mod tokio_clock;

pub use clock::SystemClock;
pub use ids::{HashedIds, NoRandomness};
pub use manual_clock::ManualClock;
#[cfg(any(test, feature = "contract"))]
pub use tokio_clock::TokioClock;
