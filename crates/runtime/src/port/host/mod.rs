//! What a run asks of its host while it works: the model, the tools, and whoever has a say along the way.
//!
//! Everybody here may fail. A hook that fails has allowed nothing; an observer or persister that fails
//! changes nothing.

mod completion_policy;
mod continue_policy;
mod deltas;
mod event_sink;
mod failure;
mod interrupt_source;
mod mediator;
mod model;
mod persister;
mod policy_provider;
mod result_diagnostics;
mod session_lock;
mod summariser;
mod tool_executor;

pub use completion_policy::{CompletionOpinion, CompletionPolicy, JudgedResult};
pub use continue_policy::{ContinuePolicy, FinishedTurn};
pub use deltas::{Delta, Deltas, Hearing};
pub use event_sink::{EventSink, Observed};
pub use failure::HostError;
pub use interrupt_source::InterruptSource;
pub use mediator::{MediatedCall, Mediation, Mediator, Rejection, Waiting};
pub use model::{Model, ModelError, TurnAnswer, TurnRequest};
pub use persister::{FinishedRun, Persister};
pub use policy_provider::{PolicyProvider, Ruling};
pub use provost_contract::tool::ToolExecutor as DeclaredExecutor;
pub use result_diagnostics::{DiagnosedResult, ResultDiagnostics};
pub use session_lock::{LockError, SessionLock};
pub use summariser::Summariser;
pub use tool_executor::{ExecutorError, Recalled, ToolAction, ToolExecutor};
