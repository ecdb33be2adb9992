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
mod version;

pub(crate) use actions::{Drafted, Form};
pub use call::task_text;
pub(crate) use call::{CallType, FlatResult, TASK_TOOL, delegate_of};
pub use decision::{Choice, Decision};
pub use envelope::{Envelope, Intent, Mode, Strategy};
pub(crate) use flat::read_flat;
pub(crate) use full::{TYPE, read_full};
pub use report::{ReportFormat, ReportSection, ReportSpec};
pub(crate) use version::VERSION_PATTERN;
