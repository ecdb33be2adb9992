//! The grammar of Provost: how a model declares a graph of actions, and what becomes of it before
//! anything runs.
//!
//! A message is read whole, checked whole, and accepted whole or not at all. Nothing here executes,
//! asks for permission, reads a clock, awaits or performs I/O.
#![deny(clippy::wildcard_enum_match_arm)]

mod read;
mod run;
mod show;

pub use read::{
    Accepted, Ancestors, ArgumentFault, ArgumentSchema, AssistantMessage, Availability, CARRIER_TOOL,
    Carrier, Catalog, Checked, Choice, Code, Content, Decision, Entry, Envelope, Finding, Finish, Graph,
    GraphFault, Intent, Limits, Mode, NativeCall, Node, Permission, Place, PlanPreview, Refused,
    ReportFormat, ReportSection, ReportSpec, Speaking, Strategy, Turn, Violation, Written, accept, check,
    schemas, write_declaration,
};
pub use run::{schedule, select};
pub use show::tokens::TokenCounter;
pub use show::{observe, offer, tokens, transcript};
