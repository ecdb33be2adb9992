//! The words of Provost: values that mean the same everywhere.
//!
//! Each concept has one file, one door in (`parse`), one normal form and one wire shape (`to_value`).
//! Nothing here reads a clock, awaits or performs I/O; a refused value is a [`ContractError`] that
//! names a code, the fields and what was expected.
#![deny(missing_docs)]

pub mod access;
pub mod action;
pub mod agent;
pub mod approval;
mod caller_context;
pub mod canonical;
mod citation;
pub mod compaction;
pub mod conversation;
mod error;
mod failure;
mod identity_fields;
mod iteration_budget;
pub mod json;
pub mod loose;
pub mod message;
pub mod principal;
pub mod provider;
pub mod provider_turn;
pub mod run;
pub mod sensitivity;
pub mod session;
pub mod session_file;
mod slug;
pub mod structured_output;
pub mod task;
pub mod timestamp;
pub mod tool;
pub mod tool_pair;
mod user_id;
mod workspace_scope;

pub use action::Action;
pub use action::policies;
pub use caller_context::{CallerContext, MaxChainDepth, RemoteCaller};
pub use citation::Citation;
pub use error::{ContractError, Result};
pub use iteration_budget::IterationBudget;
pub use message::Message;
pub use principal::ExecutionPrincipal;
pub use slug::slug;
pub use user_id::UserId;
pub use workspace_scope::WorkspaceScope;
