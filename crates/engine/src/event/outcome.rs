//! What comes of an attempt: outcomes, change sets, and how an action goes on.

use serde::{Deserialize, Serialize};

use super::action::{is_yes, yes};
use crate::{ArtifactRef, Digest, Fault, Payload, Ruling, Time};

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outcome {
    /// It did its work.
    Completed {
        /// The result.
        #[serde(default)]
        result: Payload,
        /// Whether the goal of a loop is reached.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        goal: bool,
        /// Whether it did what was asked for.
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        satisfying: bool,
    },
    /// It failed.
    Failed {
        /// Why.
        fault: Fault,
        /// The result that says so.
        #[serde(default)]
        result: Payload,
    },
    /// It took longer than its limit.
    TimedOut {
        /// The limit.
        ms: u64,
    },
    /// It was stopped.
    Stopped,
    /// Its worker is gone.
    Lost {
        /// Whether it is certain that nothing of the attempt runs any more.
        gone: bool,
        /// What the executor knows of it by its key.
        probe: Probe,
        /// The result, if the probe found one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Payload>,
    },
    /// The executor was never called.
    NotStarted {
        /// Why: `stopped`, `secrets_lost`, `tool_gone`.
        code: String,
    },
    /// What the approval was bound to has changed.
    Stale {
        /// What.
        #[serde(default)]
        what: String,
    },
    /// It ran, and its changes are not real yet.
    Proposed {
        /// The change set.
        change_set: ChangeSet,
    },
    /// A client or a person must answer in place of the executor. Never recorded: the attempt stays open, and a
    /// wait is opened for it.
    Waits {
        /// Who must answer.
        on: WaitsOn,
        /// What is asked.
        #[serde(default)]
        ask: Payload,
    },
    /// It needs more input.
    InputRequired {
        /// What is asked.
        #[serde(default)]
        request: Payload,
        /// What continues it.
        #[serde(default)]
        state: Payload,
    },
}

/// Who must answer in place of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsOn {
    /// The client that executes the tool.
    Client,
    /// A person.
    Person,
}

/// What an executor knows of an earlier attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// It was done.
    Done,
    /// Nothing happened. Only an executor that looks up the key can say so.
    NotDone,
    /// It cannot say.
    #[default]
    Unknown,
}

/// What a program changed, before it becomes real.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeSet {
    /// The changes, an artifact.
    pub artifact: ArtifactRef,
    /// The hash of the changes.
    pub digest: Digest,
    /// The state of the workspace that they were made on.
    pub base: Digest,
    /// The paths with what the policy says of each.
    #[serde(default)]
    pub paths: Vec<ChangedPath>,
}

/// A path that a program changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedPath {
    /// The path, relative to the workspace.
    pub path: String,
    /// What the policy says of it.
    pub ruling: Ruling,
}

/// How an action goes on after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Next {
    /// It is tried again.
    Retry {
        /// Not before this time.
        not_before: Time,
    },
    /// The next round of its loop.
    Round,
    /// Its change set is judged.
    Judge,
    /// It waits for input.
    Input,
    /// It is in doubt.
    Doubt,
    /// It is judged and asked again.
    AskAgain,
}
