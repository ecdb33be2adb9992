//! Parsing a model's text to a checked graph: forms, recovery, checks and refusals.

mod accept;
mod accepted;
mod catalog;
mod check;
mod checks;
mod evolution;
mod example;
mod finding;
mod forms;
mod graph;
mod message;
mod notes;
mod policies;
mod price;
mod recovery;
mod refused;
pub mod schemas;
mod text;
mod turn;
mod violation;
mod write;

pub use accept::accept;
pub use accepted::{Accepted, Carrier, Content, PlanPreview};
pub use catalog::{ArgumentFault, ArgumentSchema, Availability, Catalog, Entry, Permission};
pub use check::{Checked, check, check_in};
pub(crate) use example::{example_arguments, fenced_block, flat_call};
pub use finding::{Code, Finding, Place};
pub use forms::{
    Choice, Decision, Envelope, Intent, Mode, ReportFormat, ReportSection, ReportSpec, Strategy, task_text,
};
pub use graph::{Ancestors, Graph, GraphFault, Node};
pub use message::{AssistantMessage, CARRIER_TOOL, Finish, NativeCall};
pub use policies::merged_policies;
pub use price::{Price, price};
pub use refused::Refused;
pub use turn::{Limits, Speaking, Turn};
pub use violation::Violation;
pub use write::{Written, write_declaration};
