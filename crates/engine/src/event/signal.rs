//! Signals: what reaches a run from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::declaration::Declaration;
use super::wait::Answer;
use crate::{ActionId, StandingApproval, WaitId};

/// Something from outside that a run reacts to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Signal {
    /// A message of the user.
    Message {
        /// The message.
        #[serde(default = "erased_message")]
        message: Arc<Message>,
        /// What it does to open work.
        mode: MessageMode,
        /// Whether actions in doubt are left as they are.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        leaves_doubt: bool,
    },
    /// Open work ends.
    Cancel {
        /// These actions; none means the whole run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        actions: Option<Vec<ActionId>>,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A run that stopped goes on.
    Resume {
        /// Budgets that are raised.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        budgets: BTreeMap<String, u64>,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// What is declared about its actions, in the same step: without it, a run whose model is asked nothing
        /// would end again at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        declaration: Option<Box<Declaration>>,
    },
    /// A declaration about the run's actions, handed in from outside.
    Submit {
        /// The declaration.
        declaration: Box<Declaration>,
    },
    /// A person's decision about an ended action.
    Decide {
        /// The action.
        action: ActionId,
        /// The decision.
        choice: Choice,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Something happened outside that an action may wait for.
    External {
        /// Its name.
        name: String,
        /// What comes with it.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        payload: Value,
    },
    /// A standing approval was granted or revoked elsewhere.
    Standing {
        /// What it covers.
        scope: String,
        /// The approval; none revokes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Box<StandingApproval>>,
    },
    /// The answer to a wait.
    Answer {
        /// The wait.
        wait: WaitId,
        /// The answer.
        answer: Answer,
    },
}

fn erased_message() -> Arc<Message> {
    Arc::new(Message::text("user", super::ERASED))
}

/// What a message does to open work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageMode {
    /// Approvals of actions that have not started, questions and inputs end; running work goes on.
    #[default]
    Supersede,
    /// It settles nothing and enters when nothing is open.
    Enqueue,
    /// The model is asked again while work is open.
    Steer,
}

/// A decision about an action that ended without completing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// It is tried again.
    Retry,
    /// It is left out; what depends on it is judged again.
    Skip,
    /// Its end stands, and what depends on it goes on.
    Accept,
}

/// Why a signal changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Ignored {
    /// Its wait was settled by the run before.
    Settled,
    /// The run is over.
    Ended,
    /// The run cannot be resumed.
    NotResumable,
    /// The action has not ended, or cannot be decided about.
    NotDecidable,
    /// The declaration names actions that do not exist, or cannot be changed any more.
    NotAcceptable,
    /// The run is being cancelled already.
    Cancelling,
    /// Nothing that it names is open.
    NothingOpen,
    /// The run asks no model.
    NoModel,
}
