//! Provost: a governed agent runtime.
//!
//! A model *declares* what it wants done. Provost decides whether, by whom, in what order and after whose
//! approval it is done, does it, records every step in a journal, and continues from the journal after a
//! crash. This crate is the API for programs that embed Provost.
//!
//! ```
//! use provost::{Runtime, Script, Tool};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! #[derive(serde::Deserialize, provost::JsonSchema)]
//! struct Sum { left: i64, right: i64 }
//!
//! let add = Tool::new("math/add", "Adds two numbers.", |sum: Sum| async move { Ok(sum.left + sum.right) }).reads();
//! let model = Script::new().call("math/add", serde_json::json!({ "left": 40, "right": 2 })).say("It is 42.");
//! let runtime = Runtime::builder().model(model).tool(add).build()?;
//! let outcome = runtime.start("What is 40 + 2?").await?.outcome().await?;
//! assert_eq!(outcome.text(), "It is 42.");
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]

mod agent;
mod call_rule;
mod hooks;
mod model;
mod runtime;
mod tool;
#[cfg(feature = "tracing")]
mod trace;

pub use agent::Agent;
pub use call_rule::{CallRule, ToolTiers};
pub use hooks::{Completion, FinishedCall, NextTurn, ProposedCall, SpokenResponse, ToolGuard};
pub use model::{Answer, Asked, FnModel, Recorder, Script};
pub use runtime::{
    BuildError, Builder, ClientRequest, ClientResult, DecideError, Decision, ExecuteError, Executed, Ignored,
    Outcome, OutputError, Plan, Remember, Request, Resume, RunFailure, RunHandle, RunStatus, Runtime,
    SayError, Session, SessionOptions, StartError, Verdict, WorkError, revoke_standing, standing_offers,
};
pub use tool::{Call, Citation, EffectStatus, Tool, ToolError, ToolOutput, ToolReply, ToolSource, TypedTool};

// Re-exports of the other types in this crate's API.
pub use provost_contract::action::SideEffect;
pub use provost_contract::compaction::Summary;
pub use provost_contract::json::Object;
pub use provost_contract::{ContractError, Message};
pub use provost_engine::event::{self, Mode, WaitKind};
pub use provost_engine::view::{Decided, Pending, Piece, Story};
pub use provost_engine::{
    Actor, ActorKind, ActorOrigin, ApprovalScope, Carrying, Covers, Event, EventKind, ProtocolSettings,
    Replaying, RunId, Seq, SessionId, StandingApproval, Time, WaitId,
};
pub use provost_policy::{ActionPolicy, HookAnswer, HookFailure};
pub use provost_runtime::actor::{Delta, SealKey, SealKeyError};
pub use provost_runtime::dispatch::{Followed, RunEvent, RunEvents, SessionDoorError};
pub use provost_runtime::host::{RefusedDeclaration, RunsError};
pub use provost_runtime::port::{Backoff, Fault, Guard, Model, ModelError};
pub use provost_runtime::store::memory::MemoryStore;
pub use provost_runtime::store::{
    ClaimFilter, Page, ResumeError, SessionCursor, SessionFilter, SessionRow, Store,
};
pub use provost_runtime::system::{ManualClock, SystemClock};
#[cfg(feature = "sqlite")]
pub use provost_store::sqlite::{OpenError, SqliteOptions, SqliteStore};
/// The crate that `#[derive(JsonSchema)]` refers to: add `use provost::{JsonSchema, schemars};`.
pub use schemars;
pub use schemars::JsonSchema;

/// Model providers, cassettes that record and replay any model, and prices.
#[cfg(feature = "models")]
pub use provost_models as models;
/// The traits behind the runtime, for programs that implement their own parts.
pub use provost_runtime::port;
/// Tools: workspace files, programs, HTTP, questions to people.
#[cfg(feature = "tools")]
pub use provost_tools as tools;

/// The actor of the embedding program.
fn library() -> Actor {
    Actor::new(ActorKind::Client, "program").via("library")
}
