//! What others read of a run: all of it follows from the events and the state.

mod commit;
pub mod observer;
mod records;
pub mod result;
mod shown;
mod status;
mod waiting;

pub use commit::{ChildOrder, Step, step};
pub use observer::{Observed, Observer};
pub use result::conversation_result;
pub use status::{RunStatus, status, summary};
