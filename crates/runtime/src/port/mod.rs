//! What a host brings: the model, the tools, hooks, and a clock.
//!
//! Every part may fail. A hook that fails has allowed nothing; an observer that fails changes nothing. The
//! storage has a port of its own, [`crate::store`].

mod clock;
mod deltas;
mod fault;
mod hooks;
mod ids;
mod mediator;
mod model;
mod model_hooks;
mod policy_provider;
mod report;
mod shared;
mod summariser;
mod tool_executor;

use std::pin::Pin;

pub use clock::Clock;
pub use deltas::{Delta, Deltas, Hearing};
pub use fault::{Advice, BoxError, Fault};
pub use hooks::{
    CompletionOpinion, CompletionPolicy, ContinuePolicy, DiagnosedResult, FinishedTurn, HostError,
    InterruptSource, JudgedResult, ResultDiagnostics,
};
pub use ids::{IdKind, Ids};
pub use mediator::{MediatedCall, Mediation, Mediator, Rejection, Waiting};
pub use model::{
    Backoff, Carrier, Model, ModelError, Reservation, Retry, TurnAnswer, TurnCache, TurnRequest,
};
pub use model_hooks::{AfterModel, BeforeModel, Guard, ModelTurn, SpokenTurn};
pub use policy_provider::{PolicyProvider, Ruling};
pub use provost_contract::tool::ToolExecutor as DeclaredExecutor;
pub use provost_engine::state::Transcript;
pub use report::{Report, ReportSink};
pub use summariser::Summariser;
pub use tool_executor::{ExecutorError, Recalled, ToolAction, ToolExecutor};

/// What a port's operation returns: a future that may move between threads, so that ports can be kept as `dyn`.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
