//! The pieces of a story.

use provost_contract::json::Object;
use serde_json::Value;

use super::CallOutcome;
use crate::event::{EndStatus, Stop, WaitKind};
use crate::view::Pending;
use crate::{ActionId, Actor, Fault, Seq, Time};

/// One piece of the story, and the event that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct StoryLine {
    /// The event.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Time,
    /// What happened.
    pub piece: Piece,
}

/// The call that a piece is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName {
    /// The action.
    pub action: ActionId,
    /// Its number among the calls of the run, in the order in which the model made them; the first is 1.
    pub number: u32,
    /// The tool, or the verb of an action without one.
    pub tool: String,
    /// What the model or provider calls it.
    pub label: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// What a person asked for.
    Prompt {
        /// The words.
        text: String,
    },
    /// The model responded, or failed for the first time in a turn.
    Turn {
        /// The turn.
        turn: u32,
        /// How long the response took; none when there is none yet.
        ms: Option<u64>,
        /// How many tokens it used.
        tokens: u64,
    },
    /// The model's words of a turn.
    Words {
        /// The words.
        text: String,
    },
    /// A call has its result.
    Ended(Box<CallEnd>),
    /// A person is asked about a call.
    Asks {
        /// The call.
        call: CallName,
        /// The question.
        pending: Box<Pending>,
    },
    /// A client, a child run, the clock or a signal is waited for.
    Waits {
        /// The call.
        call: CallName,
        /// Its redacted arguments.
        arguments: Object,
        /// What is waited for.
        kind: WaitKind,
    },
    /// A person's answer lets a call in doubt run again.
    RunsAgain {
        /// The call.
        call: CallName,
        /// Its redacted arguments.
        arguments: Object,
        /// Who answered.
        by: Actor,
    },
    /// A model call gave no response.
    ModelFailed {
        /// What went wrong.
        fault: Fault,
        /// Its number in the turn.
        attempt: u32,
        /// Whether the model is asked again by itself.
        again: bool,
    },
    /// A response cannot be used; the model reads why.
    ResponseRefused {
        /// The code.
        code: String,
        /// What the model reads.
        reasons: Vec<String>,
    },
    /// Older messages gave way to a summary.
    Compacted,
    /// A cancel of the whole run came.
    CancelAsked {
        /// Who sent it.
        by: Actor,
        /// Why.
        reason: String,
    },
    /// An answer came to a question that the run had withdrawn meanwhile, for example because the policy changed.
    AnswerIgnored {
        /// Who answered.
        by: Actor,
    },
    /// A message came while the run worked.
    Message {
        /// Who sent it.
        by: Actor,
        /// The words.
        text: String,
    },
    /// A worker goes on with what another one had begun.
    TakenOver,
    /// A run that had ended goes on.
    Resumed {
        /// Who resumed it.
        by: Actor,
    },
    /// It is over.
    RunEnded {
        /// How.
        status: EndStatus,
        /// Why, unless it completed by itself.
        stop: Option<Box<Stop>>,
    },
}

/// How a call ended, with everything that people read of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEnd {
    /// The call.
    pub call: CallName,
    /// Its redacted arguments, as they ran.
    pub arguments: Object,
    /// Whether its tool only reads.
    pub reads: bool,
    /// What came of it.
    pub outcome: CallOutcome,
    /// How a person let it run; none when no person was asked.
    pub allowed: Option<Allowance>,
    /// What its program printed.
    pub output: Option<ProgramOutput>,
    /// The result that the model reads.
    pub result: Value,
    /// How long it ran; none when it never began.
    pub ms: Option<u64>,
}

/// How a person let a call run.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowance {
    /// Who.
    pub by: Actor,
    /// How long the question stood.
    pub after_ms: u64,
    /// Whether with other arguments.
    pub edited: bool,
    /// Whether by an earlier answer that also holds for later calls.
    pub standing: bool,
}

/// What a program printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How many lines above these are not here. A long output is shown whole by a view with its artifact.
    pub above: usize,
}

impl ProgramOutput {
    /// Returns what a result says that a program printed, if a program did.
    pub(super) fn of(result: &Value) -> Option<Self> {
        let own = result.get("result")?;
        let text = |key: &str| own.get(key).and_then(Value::as_str).map(str::to_owned);
        let (stdout, stderr) = (text("stdout"), text("stderr"));
        let printed = stdout.is_some() || stderr.is_some();
        let above = own.get("lines_above").and_then(Value::as_u64);
        printed.then(|| Self {
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
            above: above.and_then(|lines| usize::try_from(lines).ok()).unwrap_or_default(),
        })
    }

    /// Returns the lines of both streams, standard output first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.stdout.lines().chain(self.stderr.lines())
    }
}
