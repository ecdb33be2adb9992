//! The grammar of Provost: how a model declares a graph of actions, and what becomes of it before
//! anything runs.
//!
//! A message is read whole, checked whole, and accepted whole or not at all. Nothing here executes,
//! asks for permission, reads a clock, awaits or performs I/O.
#![deny(clippy::wildcard_enum_match_arm)]

mod accept;
mod accepted;
mod catalog;
mod check;
mod checks;
mod example;
mod finding;
mod forms;
mod graph;
mod message;
mod notes;
pub mod observe;
pub mod offer;
mod recovery;
mod refused;
mod render;
pub mod schedule;
pub mod schemas;
pub mod select;
mod text;
pub mod tokens;
pub mod transcript;
mod turn;
mod violation;
mod write;

pub use accept::accept;
pub use accepted::{Accepted, Carrier, Content};
pub use catalog::{ArgumentFault, ArgumentSchema, Availability, Catalog, Entry, Permission};
pub use check::{Checked, check};
pub use finding::{Code, Finding, Place};
pub use forms::{
    Choice, Decision, Envelope, Intent, Mode, ReportFormat, ReportSection, ReportSpec, Strategy,
};
pub use graph::{Ancestors, Graph, GraphFault, Node};
pub use message::{AssistantMessage, CARRIER_TOOL, Finish, NativeCall};
pub use refused::Refused;
pub use tokens::TokenCounter;
pub use turn::{Limits, Speaking, Turn};
pub use violation::Violation;
pub use write::{Written, write_declaration};
