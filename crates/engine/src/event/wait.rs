//! The events of a wait: opened once, settled once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::action::ActionEnd;
use crate::{
    ActionId, Actor, Args, Covers, Digest, Payload, RunId, SignalId, Time, Usage, WaitId, WorldEffect,
};

/// An answer is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitOpened {
    /// The wait.
    pub wait: WaitId,
    /// What is waited for.
    pub kind: WaitKind,
    /// The actions that wait.
    pub actions: Vec<ActionId>,
    /// The open attempt, for work that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What is asked.
    #[serde(default)]
    pub ask: Payload,
    /// What the answer must look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Payload>,
    /// What the answer is bound to: arguments, policy, change set.
    pub binding: Digest,
    /// Who may answer; empty means every authenticated actor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_answer: Vec<String>,
    /// Whether a message of the user settles it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub supersedable: bool,
    /// When the clock answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Time>,
    /// What must be unchanged when an approved action runs: the files that were shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Digest>,
    /// What is reserved while it is open: a child's share.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub reserved: Usage,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WaitKind {
    /// A person's leave.
    Approval {
        /// The change set that it is about, if it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change_set: Option<Digest>,
    },
    /// A person who knows what became of an attempt.
    InDoubt {
        /// Why it is in doubt: `lost`, `may_still_run` (its worker is lost and may live), `timed_out`, `failed`.
        cause: String,
    },
    /// A client that executes the tool.
    Client,
    /// A person's answer.
    Question,
    /// More input for a suspended call.
    Input,
    /// A child run.
    Child {
        /// The run.
        run: RunId,
    },
    /// The clock.
    Timer,
    /// Something outside that is named.
    Signal {
        /// Its name.
        name: String,
    },
}

impl WaitKind {
    /// Returns the word that rows and lists use.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Approval { .. } => "approval",
            Self::InDoubt { .. } => "in_doubt",
            Self::Client => "client",
            Self::Question => "question",
            Self::Input => "input",
            Self::Child { .. } => "child",
            Self::Timer => "timer",
            Self::Signal { .. } => "signal",
        }
    }

    /// Returns whether it stands for work of an executor, whose attempt is open meanwhile.
    pub fn is_work(&self) -> bool {
        match self {
            Self::Client | Self::Question | Self::Child { .. } | Self::Timer | Self::Signal { .. } => true,
            Self::Approval { .. } | Self::InDoubt { .. } | Self::Input => false,
        }
    }
}

/// The kinds of wait that stand for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkWait {
    /// A client executes the tool.
    Client,
    /// A person answers.
    Question,
    /// A child run works.
    Child,
    /// The clock.
    Timer,
    /// Something outside.
    Signal,
}

/// The one settlement of a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitSettled {
    /// The wait.
    pub wait: WaitId,
    /// How.
    pub how: Settlement,
    /// Who settled it.
    pub by: Actor,
    /// The signal that carried the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<SignalId>,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What was spent of the reservation.
    #[serde(default, skip_serializing_if = "Usage::is_empty")]
    pub usage: Usage,
}

/// How a wait is settled.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Settlement {
    /// By an answer.
    Answered,
    /// By the clock.
    Expired,
    /// By a message of the user.
    Superseded,
    /// By the run itself: what was asked is no longer the question.
    Withdrawn,
}

/// The answer to a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// A decision about each action of an approval. An action that is not named is rejected.
    Verdicts {
        /// The decisions.
        verdicts: BTreeMap<ActionId, Decision>,
        /// Whether the same rule need not ask about such calls again, and how long.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remember: Option<Remember>,
        /// What the answer is about; another binding than the wait's is refused.
        binding: Digest,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// What is in doubt is done again.
    Again {
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// What is in doubt stays so; it is not done again.
    Leave {
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// It happened, and this came of it.
    Happened {
        /// The result.
        #[serde(default)]
        payload: Payload,
        /// How it is known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// The result of work: of a client, a person, a child, a signal.
    Result {
        /// The result.
        #[serde(default)]
        payload: Payload,
        /// How it ended.
        status: ActionEnd,
        /// Whether it did what was asked for.
        satisfying: bool,
        /// What the world may have seen of it.
        effect: WorldEffect,
        /// What it cost.
        #[serde(default, skip_serializing_if = "Usage::is_empty")]
        usage: Usage,
    },
    /// The clock: nothing came in time.
    Expired,
}

impl Answer {
    /// Returns whether it allows a call to run.
    pub(crate) fn approves(&self) -> bool {
        match self {
            Self::Verdicts { verdicts, .. } => {
                verdicts.values().any(|decision| matches!(decision, Decision::Approve { .. }))
            }
            Self::Again { .. }
            | Self::Leave { .. }
            | Self::Happened { .. }
            | Self::Result { .. }
            | Self::Expired => false,
        }
    }
}

/// A decision about one action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Decision {
    /// It may run.
    Approve {
        /// With these arguments instead; they are judged too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<Args>,
    },
    /// It may not.
    Reject {
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
}

/// A question that need not be asked again: how long, and about which calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// How long.
    pub lasts: Lasts,
    /// Which calls of the tool.
    #[serde(default, skip_serializing_if = "Covers::is_tool")]
    pub covers: Covers,
}

/// How long a question need not be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lasts {
    /// In this run.
    Run,
    /// In every run of the workspace, until it is revoked.
    Always,
    /// In every run of the workspace, until this time.
    Until(Time),
}

impl Lasts {
    /// Returns the time at which it ends by itself.
    pub fn end(self) -> Option<Time> {
        match self {
            Self::Until(end) => Some(end),
            Self::Run | Self::Always => None,
        }
    }
}
