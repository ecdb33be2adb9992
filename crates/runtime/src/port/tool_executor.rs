//! Who carries out calls.

use provost_contract::ContractError;
use provost_contract::json::Object;
use provost_contract::tool::{RuntimeMetadata, ToolCall, ToolExecutor as DeclaredExecutor};
use serde_json::Value;

use super::{Boxed, Report};

/// One call to carry out.
#[derive(Clone, Copy, Debug)]
pub struct ToolAction<'a> {
    /// The call, its parameters raw.
    pub call: &'a ToolCall,
    /// Who runs the tool, as it is declared.
    pub executor: DeclaredExecutor,
    /// What the declaration says about where and how the tool runs.
    pub runtime: &'a RuntimeMetadata,
    /// The caller's context, with the turn and the id of the call.
    pub context: &'a Object,
    /// The id of the run.
    pub run: &'a str,
    /// The action, unique in its run. A call's own id is unique in its turn only.
    pub action: &'a str,
    /// The idempotency key: the same whenever the action runs again, so that an executor can recognise it.
    pub key: &'a str,
    /// Where its output and progress go while it works.
    pub report: &'a Report,
}

/// Why an executor gave no reply.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExecutorError {
    /// It failed.
    #[error("{0}")]
    Failed(String),
    /// No executor is registered for the target that the tool names.
    #[error("no executor is registered for the target that the tool names")]
    TargetUnavailable,
    /// The call is none it can take.
    #[error(transparent)]
    Refused(#[from] ContractError),
    /// It did not answer in time.
    #[error("no answer within {ms} ms")]
    TimedOut {
        /// How long it was given.
        ms: u64,
    },
}

/// What an executor knows of a call it was given before the process died.
#[derive(Clone, Debug, PartialEq)]
pub enum Recalled {
    /// It cannot say.
    Unknown,
    /// Nothing happened.
    NotDone,
    /// It was done, and this was the reply.
    Done(Value),
}

/// Carries out calls.
pub trait ToolExecutor: Send + Sync {
    /// The reply: `{success, …}`, or a bare payload, which counts as a success.
    ///
    /// # Cancel safety
    /// Dropping the future stops the work: that is how a run is cancelled and how time limits hold.
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>>;

    /// Starts a process that will carry out a call and waits for it, and names it so that another process of
    /// the machine can find it. The name is durable before [`ToolExecutor::execute`] is called. None when the
    /// executor starts no process.
    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        let _ = action;
        None
    }

    /// Ends the processes that were prepared for a run and are not needed any more.
    fn release(&self, run: &str) {
        let _ = run;
    }

    /// Ends a process that an earlier runtime prepared, if it still runs.
    ///
    /// # Errors
    /// Why it cannot be ended. Then the call is not repeated, and is not called stopped.
    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        let _ = process;
        Box::pin(async { Ok(()) })
    }

    /// What would happen, for whoever must allow it. Changes nothing.
    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        let _ = action;
        Box::pin(async { None })
    }

    /// What became of a call that was started before the process died; asked by its key before anybody
    /// is asked whether it took effect.
    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        let _ = action;
        Box::pin(async { Recalled::Unknown })
    }
}
