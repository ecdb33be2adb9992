//! Tasks: work handed to an executor, where it may run, and what came of it.
//!
//! Whoever dispatches a task owns the run id, session id, executor and owner of its result; what an
//! executor says about those is never believed.

mod caller;
mod dispatch;
mod input;
mod metrics;
mod placement;
mod result;
mod run_result;
mod target;
mod view;

pub use caller::{TaskAddress, TaskCaller};
pub use input::{Task, TaskIds, TaskInput};
pub use metrics::Metrics;
pub use placement::{Filter, Placement};
pub use result::{TaskResult, TaskStatus};
pub use target::{Target, TargetList, select_target};
