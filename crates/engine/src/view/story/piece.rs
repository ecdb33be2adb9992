//! The pieces of a story.

use provost_contract::json::Object;
use serde_json::Value;

use crate::event::{EndStatus, Stop, WaitKind};
use crate::view::shown::Called;
use crate::{ActionId, Actor, Fault, Seq, Time};

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Story {
    /// Its pieces, in order. Results of calls that ran at once stand in the order of the calls.
    pub lines: Vec<StoryLine>,
    /// How many turns began.
    pub turns: u32,
    /// How many calls have a result.
    pub results: u64,
    /// How many tokens were used.
    pub tokens: u64,
}

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
    /// The tool, or the verb of an action without one.
    pub tool: String,
    /// What the model or provider calls it.
    pub label: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A turn began.
    Turn {
        /// The turn.
        turn: u32,
    },
    /// A call was looked at for the first time.
    Called {
        /// The call.
        call: CallName,
        /// Its redacted arguments.
        arguments: Object,
    },
    /// A call has its result.
    Ended {
        /// The call.
        call: CallName,
        /// Whether it did its work.
        success: bool,
        /// What it says of itself: a summary, or the error.
        said: String,
    },
    /// A person is asked.
    Asks {
        /// The call.
        call: CallName,
        /// What is asked for: an approval, a doubt, a question, an input.
        kind: WaitKind,
        /// What would happen.
        preview: Value,
    },
    /// A client, a child run, the clock or a signal is waited for.
    Waits {
        /// The call.
        call: CallName,
        /// What is waited for.
        kind: WaitKind,
    },
    /// A call was allowed.
    Allowed {
        /// The call.
        call: CallName,
        /// Who allowed it.
        by: Actor,
        /// Whether with other arguments.
        edited: bool,
    },
    /// A model call gave no response.
    ModelFailed {
        /// What went wrong.
        fault: Fault,
        /// Whether the model is asked again by itself.
        again: bool,
    },
    /// The run stops. A fault of the model that stops it is reported once, as that.
    Stops {
        /// Why.
        stop: Stop,
    },
    /// A cancel of the whole run came.
    CancelAsked {
        /// Who sent it.
        by: Actor,
        /// Why.
        reason: String,
    },
    /// A message came.
    Message {
        /// Who sent it.
        by: Actor,
    },
    /// The run rests.
    Parked {
        /// What for: `approval_required`, `runtime_tool_pending` or `waiting`.
        status: &'static str,
    },
    /// It goes on.
    Resumed,
    /// It is over.
    RunEnded {
        /// How.
        status: EndStatus,
    },
}

impl CallName {
    pub(super) fn of(call: &Called) -> Self {
        Self { action: call.action, tool: call.name.clone(), label: call.label.clone() }
    }
}
