//! Waiting for a state of other processes.

use std::time::{Duration, Instant};

/// How long to wait between two looks.
const LOOK: Duration = Duration::from_millis(5);

/// Looks until something is so, or the time is over; says whether it is so.
#[expect(clippy::disallowed_methods, reason = "another process gives no sign when its state changes")]
pub(super) fn until(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > limit {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}
