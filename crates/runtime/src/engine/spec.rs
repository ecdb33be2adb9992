//! What a run was asked to do: everything the engine decides by that is not an event of its own.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::port::SparedQuestion;

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
    pub tools: Arc<Value>,
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
    /// Whose run it is.
    #[serde(default)]
    pub about: About,
    /// What the action policy of the run is decided by: mode, denied tools, policy of the agent.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub policy: Object,
    /// Which tools the model sees, and by whose word; empty when nobody decided about that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visibility: Vec<Value>,
    /// How much at once, and how long.
    #[serde(default)]
    pub limits: Limits,
    /// How closely arguments are looked at.
    #[serde(default)]
    pub arguments: ArgumentCheck,
}

impl Spec {
    /// Who alone may decide about the run's questions; anybody when nobody is named.
    pub fn approvers(&self) -> Vec<String> {
        self.policy.get("approvers").map(json::string_list).unwrap_or_default()
    }
}

/// How closely the arguments of calls are looked at before anybody is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentCheck {
    /// None that is required is missing; the rest is the tool's own business.
    #[default]
    Required,
    /// They fit the tool's JSON Schema.
    Schema,
}

/// Whose run it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The workspace that owns it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// The agent that runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The run that delegated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How many runs stand above it.
    #[serde(default)]
    pub depth: u64,
    /// Who acts, without secrets.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub principal: Value,
}

impl About {
    /// The question a rule asks about a tool, as it may be spared in later runs; none when the run does not
    /// say whose it is.
    pub fn question(&self, tool: &str, (layer, rule): (&str, &str)) -> Option<SparedQuestion> {
        if self.workspace.is_empty() || self.agent.is_empty() {
            return None;
        }
        let [workspace, agent, tool, layer, rule] =
            [&self.workspace, &self.agent, tool, layer, rule].map(str::to_owned);
        Some(SparedQuestion { workspace, principal: self.whose()?, agent, tool, layer, rule })
    }

    /// The principal by the owner it names, or else by its user, who must be somebody.
    fn whose(&self) -> Option<String> {
        let user = self.principal.get("acting_user_id")?.as_u64().filter(|user| *user > 0)?;
        let owner = self.principal.as_object().and_then(|principal| {
            let (kind, key) =
                (json::trimmed_text(principal, "owner_type")?, json::trimmed_text(principal, "owner_key")?);
            Some(format!("{kind}:{key}"))
        });
        Some(owner.unwrap_or_else(|| format!("user:{user}")))
    }
}

/// How much at once, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How many calls of a turn run at once.
    pub parallel_max: usize,
    /// How long the model may take for a turn.
    pub model_ms_max: u64,
    /// How long a tool may take, unless its declaration says otherwise.
    pub tool_ms_max: u64,
    /// How long a hook may take.
    pub hook_ms_max: u64,
    /// How long a decision can be made; none means for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_ms_max: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            parallel_max: 8,
            model_ms_max: 600_000,
            tool_ms_max: 600_000,
            hook_ms_max: 30_000,
            approval_ms_max: None,
        }
    }
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
    /// About how each call may run.
    #[serde(default)]
    pub policy: bool,
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
