//! What others read of a run: all of it follows from the events and the state.

mod commit;
mod status;

pub use commit::{ChildOrder, Step, step};
pub use status::{RunStatus, status, summary};
