//! What a run was asked to do: everything the engine decides by that is not an event of its own.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The accepted request of a run, with every default filled in. It holds no secrets: the raw context of
/// the caller stays with the driver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the run.
    pub run: String,
    /// The transcript to go on from.
    pub messages: Vec<Arc<Message>>,
    /// How many turns at most, unless a `turns` budget says otherwise.
    pub max_turns: u64,
    /// The caller's context, redacted.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub context: Object,
    /// The tools in the wire form of their catalog: those accepted, and why others were not.
    pub tools: Value,
    /// Whether there is an executor for the calls.
    pub has_executor: bool,
    /// The limits of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<BudgetSpec>,
    /// When and how older messages give way to a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Object>,
    /// How large a result may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_bytes_max: Option<i64>,
    /// How many equal calls in a row mean a stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spin_threshold: Option<i64>,
    /// After how many equal failures the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_threshold: Option<i64>,
    /// The gate's rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_call_rules: Vec<Value>,
    /// The session the run belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionSpec>,
    /// What the answer must look like, when it must be JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Value>,
    /// Which model the caller wants, in its own words.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub model: Object,
    /// Who is asked along the way.
    pub asks: Asks,
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetSpec {
    /// What it counts: `turns`, `tool_calls`, `tool_calls_<tool>`, `wall_clock_seconds` …
    pub name: String,
    /// How much is allowed.
    pub ceiling: i64,
    /// How much was used before.
    #[serde(default)]
    pub current: i64,
}

/// The session a run belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSpec {
    /// The session.
    pub id: String,
    /// How long a lock outlives a holder that went silent.
    pub lock_ttl_seconds: u64,
}

/// Which parts of the host take part in decisions. A part that is not asked has no opinion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asks {
    /// For the session, before anything else.
    pub lock: bool,
    /// Before a call is executed.
    pub mediator: bool,
    /// Whether a result completes the run.
    pub completion: bool,
    /// Between two turns.
    pub interrupts: bool,
    /// Whether another turn follows.
    pub continuation: Continuation,
}

/// Who decides whether another turn follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// The engine: as long as the model calls tools.
    #[default]
    WhileCalling,
    /// Nobody: one turn.
    Never,
    /// The host.
    Asked,
}
