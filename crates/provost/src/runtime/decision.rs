//! What people and clients say to what waits.

use std::time::Duration;

use provost_contract::json::Object;
use provost_engine::event::{Lasts, Remember as Remembered};
use provost_engine::{Actor, ActorKind, ActorOrigin, Covers, RunId, Time, WaitId};
use provost_runtime::actor::LoadError;
use provost_runtime::host::{EditError, RunsError};
use provost_runtime::port::Fault;
use provost_runtime::store::AnswerError;
use serde_json::Value;

/// The answer of a person to a question: whether a call may run, or what became of one.
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
    /// Yes or no. For a call in doubt, yes runs it again and no leaves it.
    pub verdict: Verdict,
    /// Who says so, such as `user:ada`.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
    /// The arguments to run with instead.
    pub parameters: Option<Object>,
    /// How long the same rule need not ask about such calls again.
    pub remember: Remember,
    /// Which calls are meant by that. Without `remember` it has no meaning.
    pub covers: Covers,
    /// What came of a call in doubt.
    pub result: Option<Value>,
    /// The door the answer came through, such as `cli`.
    pub via: String,
    /// Where the answer came from, as the system proves it. Recorded with it.
    pub origin: Option<ActorOrigin>,
}

/// Yes or no.
///
/// ```
/// assert_eq!(provost::Decision::approve("user:grace").verdict, provost::Verdict::Approved);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Approved,
    /// No.
    Rejected,
}

/// How long a question need not be asked again.
///
/// ```
/// assert_eq!(provost::Remember::default(), provost::Remember::No);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remember {
    /// The next call is asked about again.
    #[default]
    No,
    /// In this run.
    Run,
    /// In this run and later ones of the workspace, until it is revoked.
    Always,
    /// In this run and later ones of the workspace, for this long.
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
    /// Returns a yes.
    ///
    /// ```
    /// let yes = provost::Decision::approve("user:grace");
    /// # drop(yes);
    /// ```
    pub fn approve(by: impl Into<String>) -> Self {
        Self::new(Verdict::Approved, by.into())
    }

    /// Returns a no.
    ///
    /// ```
    /// let no = provost::Decision::reject("user:grace", "too dear");
    /// assert_eq!(no.reason, "too dear");
    /// ```
    pub fn reject(by: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::new(Verdict::Rejected, by.into()) }
    }

    /// Returns what came of a call in doubt.
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
    /// What came of it, or why it failed.
    pub outcome: Result<Value, String>,
    /// Which client answers.
    pub by: Actor,
}

impl ClientResult {
    /// Returns the result of a call that did its work.
    ///
    /// ```
    /// let result = provost::ClientResult::ok(7);
    /// # drop(result);
    /// ```
    pub fn ok(result: impl Into<Value>) -> Self {
        Self { outcome: Ok(result.into()), by: Actor::new(ActorKind::Client, "client").via("library") }
    }

    /// Returns why a call failed.
    ///
    /// ```
    /// let result = provost::ClientResult::failed("the tab was closed");
    /// # drop(result);
    /// ```
    pub fn failed(error: impl Into<String>) -> Self {
        Self { outcome: Err(error.into()), ..Self::ok(Value::Null) }
    }

    /// Returns the same result from another actor.
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

/// Why an answer does not count. Nothing was changed.
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
    /// Nothing waits under that id.
    #[error("nothing waits under {0}")]
    Unknown(String),
    /// Another answer was first, or time was.
    #[error("{wait} was {how} before, by {}", by.name())]
    Late {
        /// The wait.
        wait: WaitId,
        /// How it ended: `answered`, `expired`, `superseded` or `withdrawn`.
        how: String,
        /// By whom.
        by: Box<Actor>,
        /// When.
        at: Time,
    },
    /// Only others may answer.
    #[error("{by} may not decide about {wait}: {} may", may_answer.join(", "))]
    NotAllowed {
        /// The wait.
        wait: WaitId,
        /// Who tried.
        by: String,
        /// Who may.
        may_answer: Vec<String>,
    },
    /// An agent does not allow its own proposals.
    #[error("{by} proposed {wait} and cannot allow it")]
    OwnProposal {
        /// The wait.
        wait: WaitId,
        /// The agent.
        by: String,
    },
    /// A rule that forbids cannot tell whether it means this call.
    #[error("{0} asks about exactly this call, so the answer cannot be remembered")]
    ExactlyThisCall(WaitId),
    /// The answer says something that the question does not ask.
    #[error("{wait} {asks}")]
    Unfit {
        /// The wait.
        wait: WaitId,
        /// What it asks.
        asks: &'static str,
    },
    /// What is asked changed meanwhile.
    #[error("{0} was asked anew meanwhile: look at it again")]
    Changed(WaitId),
    /// The run is over.
    #[error("run {0} is over")]
    RunEnded(RunId),
    /// The changed arguments do not fit the tool.
    #[error("the arguments of {tool} do not fit: {}", faults.join("; "))]
    Arguments {
        /// The tool.
        tool: String,
        /// What does not fit.
        faults: Vec<String>,
    },
    /// The arguments have secrets, and there is no key to seal them with.
    #[error(
        "the changed arguments have secrets, and the runtime has no key to seal them with: call Builder::seal_key"
    )]
    NoSealKey,
    /// The run cannot be worked on or read here.
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
    /// An answer was first; that of the clock is that time is over.
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
