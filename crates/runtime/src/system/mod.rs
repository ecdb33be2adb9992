//! The machine's own clock and randomness.

mod clock;
mod ids;

pub use clock::SystemClock;
pub use ids::{HashedIds, NoRandomness};
