//! The two forms of a declaration, parsed to the same actions: the flat form, which is the carrier tool's
//! arguments, and the full form, an envelope with a payload.

mod action;
mod actions;
mod call;
mod decision;
mod envelope;
mod expand_ref;
mod flat;
mod full;
mod report;

pub(crate) use actions::Drafted;
pub(crate) use call::{CallType, FlatResult, TASK_TOOL, delegate_of, task_text};
pub use decision::{Choice, Decision};
pub use envelope::{Envelope, Intent, Mode, Strategy};
pub(crate) use flat::read_flat;
pub(crate) use full::{TYPE, VERSION, read_full};
pub use report::{ReportFormat, ReportSection, ReportSpec};
