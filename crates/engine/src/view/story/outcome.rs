//! What came of a call: each fact has a variant of its own, so that no two of them share words.

use serde_json::Value;

use crate::event::{ActionEnd, ActionEnded, EndedBy};
use crate::{Actor, WorldEffect};

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// It did its work.
    Done {
        /// Its result in a few words; may be empty.
        said: String,
    },
    /// Its program ended by itself.
    Exited {
        /// The exit code; anything but 0 is a failure.
        code: i64,
    },
    /// Its program was killed.
    Killed {
        /// The signal.
        signal: i64,
    },
    /// It was tried and did not work.
    Failed {
        /// Why.
        error: String,
        /// What the world may have seen of it.
        effect: WorldEffect,
    },
    /// It took longer than its limit.
    TimedOut {
        /// The limit, where it is known.
        ms: Option<u64>,
        /// What it had to say about that.
        error: String,
        /// What the world may have seen of it.
        effect: WorldEffect,
    },
    /// A rule, a hook or a gate does not let it run.
    Denied {
        /// The layer.
        layer: String,
        /// The rule.
        rule: String,
        /// Why.
        reason: String,
        /// Where the rule is written; empty when that is not known.
        source: String,
    },
    /// A person does not let it run.
    Declined {
        /// Who.
        by: Actor,
        /// Why.
        reason: String,
        /// How long the question stood.
        after_ms: u64,
    },
    /// No answer came in time.
    Expired,
    /// No person was asked, because it would fail.
    WouldFail {
        /// Why.
        error: String,
    },
    /// The agent has no such tool.
    UnknownTool {
        /// What the model reads.
        error: String,
    },
    /// Its arguments do not fit.
    Unfit {
        /// Why.
        error: String,
    },
    /// It was stopped while it ran.
    StoppedMidway {
        /// Who cancelled the run, if the run was cancelled.
        by: Option<Actor>,
    },
    /// It was cancelled before it began.
    Cancelled {
        /// Who cancelled the run, if the run was cancelled.
        by: Option<Actor>,
    },
    /// It began, and what became of it is not known.
    InDoubt {
        /// The person who was asked and left it so.
        left_by: Option<Actor>,
        /// What the model reads.
        error: String,
    },
    /// A person said what had come of it.
    Attested {
        /// Who.
        by: Actor,
    },
    /// It had happened before, as its executor knows.
    Probed,
    /// A new message came while it waited.
    Superseded,
    /// Something that it depends on did not complete.
    Blocked {
        /// What.
        error: String,
    },
    /// It was left out: its condition does not hold, or the run stopped before.
    LeftOut {
        /// Why.
        error: String,
    },
}

/// What the reader of a story knows of a call beside its end.
pub(super) struct Known<'a> {
    /// Who recorded the end.
    pub(super) actor: &'a Actor,
    /// Who cancelled the run.
    pub(super) cancelled_by: Option<&'a Actor>,
    /// How long its question stood.
    pub(super) after_ms: u64,
}

impl CallOutcome {
    /// Reads how a call ended.
    pub(super) fn of(ended: &ActionEnded, known: &Known<'_>) -> Self {
        let result = ended.result.shown();
        let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let error = || text("/error").to_owned();
        let code = text("/metadata/error_type");
        if ended.reason == "in_doubt" {
            let left_by = (ended.by == EndedBy::Person).then(|| known.actor.clone());
            return Self::InDoubt { left_by, error: error() };
        }
        match ended.by {
            EndedBy::Attested => Self::Attested { by: known.actor.clone() },
            EndedBy::Probe => Self::Probed,
            EndedBy::Person if ended.reason == "rejected" => Self::Declined {
                by: known.actor.clone(),
                reason: text("/metadata/approval/reason").to_owned(),
                after_ms: known.after_ms,
            },
            EndedBy::Clock if ended.reason == "expired" => Self::Expired,
            EndedBy::Rule | EndedBy::Mediator if ended.status == ActionEnd::Blocked => Self::Denied {
                layer: text("/metadata/decision/layer").to_owned(),
                rule: text("/metadata/decision/rule").to_owned(),
                reason: Some(text("/metadata/decision/reason"))
                    .filter(|text| !text.is_empty())
                    .map_or_else(error, str::to_owned),
                source: text("/metadata/decision/inputs/source").to_owned(),
            },
            EndedBy::Preparation if code == "tool_not_found" => Self::UnknownTool { error: error() },
            EndedBy::Preparation if matches!(ended.reason.as_str(), "unprepared" | "seal_unavailable") => {
                Self::Unfit { error: error() }
            }
            EndedBy::Preparation => Self::WouldFail { error: error() },
            EndedBy::Message => Self::Superseded,
            EndedBy::Cancel | EndedBy::Stop if ended.reason == "stopped_midway" => {
                Self::StoppedMidway { by: known.cancelled_by.cloned() }
            }
            EndedBy::Stop if ended.reason == "left_out" => Self::LeftOut { error: error() },
            EndedBy::Cancel | EndedBy::Stop => Self::Cancelled { by: known.cancelled_by.cloned() },
            EndedBy::Dependency => Self::Blocked { error: error() },
            EndedBy::Condition | EndedBy::Abort => Self::LeftOut { error: error() },
            EndedBy::Executor
            | EndedBy::Rule
            | EndedBy::Mediator
            | EndedBy::Person
            | EndedBy::Client
            | EndedBy::Child
            | EndedBy::Clock
            | EndedBy::Engine => Self::of_work(ended, result, code),
        }
    }

    /// What an executor, a client, a child or a person answered.
    fn of_work(ended: &ActionEnded, result: &Value, code: &str) -> Self {
        let error = || result.get("error").and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |pointer: &str| result.pointer(pointer).and_then(Value::as_i64);
        let success = result.get("success") == Some(&Value::Bool(true));
        if ended.reason == "timed_out" || code == "timed_out" {
            let limit = number("/metadata/ms_max").and_then(|ms| u64::try_from(ms).ok());
            let ms = limit.or_else(|| limit_in(&error()));
            return Self::TimedOut { ms, error: error(), effect: ended.effect };
        }
        match (number("/result/exit_code"), number("/result/signal")) {
            (Some(code), _) if success => Self::Exited { code },
            (None, Some(signal)) if success => Self::Killed { signal },
            _ if success && ended.status == ActionEnd::Completed => {
                let said = result.pointer("/metadata/summary").and_then(Value::as_str);
                Self::Done { said: ended.summary.as_deref().or(said).unwrap_or_default().to_owned() }
            }
            _ => Self::Failed { error: error(), effect: ended.effect },
        }
    }
}

/// The limit that a tool names in its own words: `killed after 100 ms; …`.
fn limit_in(error: &str) -> Option<u64> {
    error.strip_prefix("killed after ")?.split_once(" ms")?.0.parse().ok()
}
