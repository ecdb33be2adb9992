//! The Agent Protocol: how a model declares a graph of actions, and how the graph is checked and
//! scheduled.
//!
//! A message is parsed and checked as a whole, and accepted as a whole or not at all. This crate does not
//! execute anything, ask for permission, read a clock, await or perform I/O.
#![deny(clippy::wildcard_enum_match_arm)]

mod read;
mod run;
mod show;

pub use read::{
    Accepted, Ancestors, ArgumentFault, ArgumentSchema, AssistantMessage, Availability, CARRIER_TOOL,
    Carrier, Catalog, Checked, Choice, Code, Content, Decision, Entry, Envelope, Finding, Finish, Graph,
    GraphFault, Intent, Limits, Mode, NativeCall, Node, Permission, Place, PlanPreview, Price, Refused,
    ReportFormat, ReportSection, ReportSpec, Speaking, Strategy, Turn, Violation, Written, accept, check,
    check_in, merged_policies, price, schemas, task_text, write_declaration,
};
pub use run::select;
pub use show::tokens::TokenCounter;
pub use show::{observe, offer, tokens, transcript};
