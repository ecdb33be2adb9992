//! Tasks for callers: dispatch to one handler, remember the result, show and stop the run.

mod caller;
mod desk;
mod dispatch;
mod view;

pub use caller::TaskCaller;
pub use desk::{CancelledTask, TaskDesk, TaskLookup};
pub use dispatch::{TaskEvents, TaskHandler, TaskHandlers};
pub use view::redacted_view;
