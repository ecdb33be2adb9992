//! Answers of people and clients to open waits.

use std::time::Duration;

use provost_contract::json::Object;
use provost_engine::event::{Lasts, Remember as Remembered};
use provost_engine::{Actor, ActorKind, ActorOrigin, Covers, RunId, Time, WaitId};
use provost_runtime::actor::LoadError;
use provost_runtime::host::{EditError, RunsError};
use provost_runtime::port::Fault;
use provost_runtime::store::AnswerError;
use serde_json::Value;

/// A person's answer to a question: whether a call may run, or the outcome of a call in doubt.
///
/// ```
/// use std::time::Duration;
///
/// use provost::{Covers, Decision, Remember};
/// // Yes, and for eight hours every such call about a file in `src`.
/// let decision = Decision {
///     remember: Remember::For(Duration::from_secs(8 * 3_600)),
///     covers: Covers::Place("src".to_owned()),
///     ..Decision::approve("user:grace")
/// };
/// assert_eq!(decision.by, "user:grace");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The verdict. For a call in doubt, `Approved` runs it again and `Rejected` does not.
    pub verdict: Verdict,
    /// The person who decides, such as `user:ada`.
    pub by: String,
    /// The reason; may be empty.
    pub reason: String,
    /// Changed arguments to run with.
    pub parameters: Option<Object>,
    /// Whether, and for how long, the same rule stops asking about such calls.
    pub remember: Remember,
    /// The calls that `remember` covers. Any value other than `Tool` requires a `remember`.
    pub covers: Covers,
    /// The outcome of a call in doubt.
    pub result: Option<Value>,
    /// The interface the answer came through, such as `cli`.
    pub via: String,
    /// The process behind the answer, as identified by the operating system. It is recorded with the answer.
    pub origin: Option<ActorOrigin>,
}

/// Whether a call may run.
///
/// ```
/// assert_eq!(provost::Decision::approve("user:grace").verdict, provost::Verdict::Approved);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call may run.
    Approved,
    /// The call does not run.
    Rejected,
}

/// How long an answer applies to later questions.
///
/// ```
/// assert_eq!(provost::Remember::default(), provost::Remember::No);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remember {
    /// Only to this question.
    #[default]
    No,
    /// To this run.
    Run,
    /// To this run and later ones of the same agent, principal and workspace, until it is revoked.
    Always,
    /// To this run and later ones of the same agent, principal and workspace, for this long.
    For(Duration),
}

impl Remember {
    pub(super) fn to_engine(self, covers: Covers, now: Time) -> Option<Remembered> {
        let lasts = match self {
            Self::No => return None,
            Self::Run => Lasts::Run,
            Self::Always => Lasts::Always,
            Self::For(time) => Lasts::Until(now.plus_ms(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))),
        };
        Some(Remembered { lasts, covers })
    }
}

impl Decision {
    /// Creates an approval.
    ///
    /// ```
    /// let yes = provost::Decision::approve("user:grace");
    /// # drop(yes);
    /// ```
    pub fn approve(by: impl Into<String>) -> Self {
        Self::new(Verdict::Approved, by.into())
    }

    /// Creates a rejection.
    ///
    /// ```
    /// let no = provost::Decision::reject("user:grace", "too dear");
    /// assert_eq!(no.reason, "too dear");
    /// ```
    pub fn reject(by: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::new(Verdict::Rejected, by.into()) }
    }

    /// Creates a decision with the outcome of a call in doubt.
    ///
    /// ```
    /// let done = provost::Decision::happened("user:grace", "the mail was sent");
    /// assert!(done.result.is_some());
    /// ```
    pub fn happened(by: impl Into<String>, result: impl Into<Value>) -> Self {
        Self { result: Some(result.into()), ..Self::approve(by) }
    }

    fn new(verdict: Verdict, by: String) -> Self {
        Self {
            verdict,
            by,
            reason: String::new(),
            parameters: None,
            remember: Remember::No,
            covers: Covers::Tool,
            result: None,
            via: "library".to_owned(),
            origin: None,
        }
    }

    pub(super) fn actor(&self) -> Actor {
        let actor = Actor::new(ActorKind::Person, &*self.by).via(&*self.via);
        match &self.origin {
            Some(origin) => actor.from_origin(origin.clone()),
            None => actor,
        }
    }
}

/// The result of a tool that a client executes.
///
/// ```
/// let result = provost::ClientResult::ok("green");
/// assert_eq!(result.outcome, Ok("green".into()));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ClientResult {
    /// The result, or the error.
    pub outcome: Result<Value, String>,
    /// The client that answers.
    pub by: Actor,
}

impl ClientResult {
    /// Creates the result of a successful call.
    ///
    /// ```
    /// let result = provost::ClientResult::ok(7);
    /// # drop(result);
    /// ```
    pub fn ok(result: impl Into<Value>) -> Self {
        Self { outcome: Ok(result.into()), by: Actor::new(ActorKind::Client, "client").via("library") }
    }

    /// Creates the result of a failed call.
    ///
    /// ```
    /// let result = provost::ClientResult::failed("the tab was closed");
    /// # drop(result);
    /// ```
    pub fn failed(error: impl Into<String>) -> Self {
        Self { outcome: Err(error.into()), ..Self::ok(Value::Null) }
    }

    /// Sets the client that answers.
    ///
    /// ```
    /// use provost::{Actor, ActorKind, ClientResult};
    /// let result = ClientResult::ok(7).by(Actor::new(ActorKind::Client, "browser"));
    /// # drop(result);
    /// ```
    #[must_use]
    pub fn by(mut self, actor: Actor) -> Self {
        self.by = actor;
        self
    }
}

/// Why an answer is rejected. Nothing was changed.
///
/// ```
/// fn status(error: &provost::DecideError) -> u16 {
///     match error {
///         provost::DecideError::Unknown(_) => 404,
///         provost::DecideError::Late { .. } | provost::DecideError::Changed(_) => 409,
///         provost::DecideError::NotAllowed { .. } | provost::DecideError::OwnProposal { .. } => 403,
///         _ => 422,
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// No such wait exists.
    #[error("there is no open question {0}")]
    Unknown(String),
    /// The decision names no person.
    #[error(
        "the decision about {0} names no person: say who decides, such as Decision::approve(\"user:ada\")"
    )]
    NoPerson(WaitId),
    /// Another answer was first, or the wait expired.
    #[error("{wait} was {how} before, by {}", by.name())]
    Late {
        /// The wait.
        wait: WaitId,
        /// How it ended: `answered`, `expired`, `superseded` or `withdrawn`.
        how: String,
        /// Who settled it.
        by: Box<Actor>,
        /// When it was settled.
        at: Time,
    },
    /// The actor is not permitted to answer.
    #[error("{by} may not decide about {wait}: {} may", may_answer.join(", "))]
    NotAllowed {
        /// The wait.
        wait: WaitId,
        /// The actor that tried.
        by: String,
        /// The actors that may answer.
        may_answer: Vec<String>,
    },
    /// An agent cannot approve its own proposal.
    #[error("{by} proposed {wait} and cannot allow it")]
    OwnProposal {
        /// The wait.
        wait: WaitId,
        /// The agent.
        by: String,
    },
    /// A one-time approval cannot become a standing approval: it is for a call that is unclear to a deny rule.
    #[error("{0} needs a one-time approval, which cannot become a standing approval")]
    ExactlyThisCall(WaitId),
    /// The answer does not match the kind of question.
    #[error("{wait} {asks}")]
    Unfit {
        /// The wait.
        wait: WaitId,
        /// The question.
        asks: &'static str,
    },
    /// The question changed in the meantime.
    #[error("{0} changed in the meantime: read it again")]
    Changed(WaitId),
    /// The run has ended.
    #[error("run {0} has ended")]
    RunEnded(RunId),
    /// The changed arguments do not match the tool.
    #[error("the arguments of {tool} do not match its schema: {}", faults.join("; "))]
    Arguments {
        /// The tool.
        tool: String,
        /// The mismatch.
        faults: Vec<String>,
    },
    /// The arguments contain secrets, and there is no key to seal them.
    #[error(
        "the changed arguments have secrets, and the runtime has no key to seal them with: call Builder::seal_key"
    )]
    NoSealKey,
    /// The run cannot be read or continued here.
    #[error(transparent)]
    Runs(#[from] RunsError),
}

impl From<LoadError> for DecideError {
    fn from(error: LoadError) -> Self {
        Self::Runs(error.into())
    }
}

impl From<Fault> for DecideError {
    fn from(fault: Fault) -> Self {
        Self::Runs(fault.into())
    }
}

impl DecideError {
    /// Converts a settled wait to an error; a wait that the clock answered expired.
    pub(super) fn answered(wait: WaitId, by: Actor, at: Time) -> Self {
        let how = if by.kind == ActorKind::Clock { "expired" } else { "answered" };
        Self::Late { wait, how: how.to_owned(), by: Box::new(by), at }
    }

    pub(super) fn of(wait: &WaitId, by: &Actor, error: EditError) -> Self {
        let wait = wait.clone();
        let error = match error {
            EditError::Unfit { tool, faults } => return Self::Arguments { tool, faults },
            EditError::NoSealKey => return Self::NoSealKey,
            EditError::Runs(error) => return Self::Runs(error),
            EditError::Answer(error) => error,
        };
        match error {
            AnswerError::UnknownWait(wait) => Self::Unknown(wait.to_string()),
            AnswerError::Settled { how, by, at } => Self::Late { wait, how, by: Box::new(by), at },
            AnswerError::AlreadyAnswered { by, at } => Self::answered(wait, by, at),
            AnswerError::OtherBinding { .. } => Self::Changed(wait),
            AnswerError::NotAllowed { may_answer } => {
                Self::NotAllowed { wait, by: by.name().to_owned(), may_answer }
            }
            AnswerError::RunEnded(run) => Self::RunEnded(run),
            AnswerError::Storage(fault) => fault.into(),
        }
    }
}
