//! The clock and the source of ids of this process.

use std::sync::Arc;

use provost_runtime::port::{Clock, Ids};
use provost_runtime::system::ManualClock;
use provost_runtime::system::{HashedIds, SystemClock};

use crate::environment;
use crate::failure::Failure;

/// The system clock, unless a test fixed it.
pub fn clock() -> Arc<dyn Clock> {
    match environment::clock_ms() {
        Some(at_ms) => Arc::new(ManualClock::at(at_ms)),
        None => Arc::new(SystemClock),
    }
}

/// Random ids, unless a test set a seed.
pub fn ids(clock: Arc<dyn Clock>) -> Result<Arc<dyn Ids>, Failure> {
    Ok(match environment::seed() {
        Some(seed) => Arc::new(HashedIds::from_seed(seed, clock)),
        None => {
            Arc::new(HashedIds::from_system(clock).map_err(|error| Failure::machine(&error.to_string()))?)
        }
    })
}
