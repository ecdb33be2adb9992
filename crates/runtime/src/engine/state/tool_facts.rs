//! What a tool declares of itself, as far as running it goes.

use std::sync::{Arc, OnceLock};

use provost_contract::action::{Idempotency, SideEffects};
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolDeclaration;
use provost_policy::action_policy::{Consulted, Question, resolve};
use provost_policy::{ActionPolicy, Decision};
use provost_protocol::{ArgumentFault, ArgumentSchema};
use serde_json::Value;

use crate::engine::Limits;

/// Read once.
#[derive(Clone, Debug)]
pub struct ToolFacts {
    /// Its name.
    pub(super) name: Arc<str>,
    /// It changes nothing.
    pub only_reads: bool,
    /// A second attempt under the same key is safe.
    pub may_repeat: bool,
    /// Equal calls in a row are its normal use, such as of a tool that waits or polls.
    pub is_repeatable: bool,
    /// How long it may take.
    pub ms_max: u64,
    /// What the action policy is asked about it.
    pub(in crate::engine) question: Question,
    /// How it may run, as long as nobody else is asked.
    pub decision: Decision<ActionPolicy>,
    /// What its arguments must fit, compiled when it is first called.
    schema: OnceLock<Option<Arc<ArgumentSchema>>>,
}

impl ToolFacts {
    pub(super) fn of(tool: &ToolDeclaration, policy: &Object, limits: Limits) -> Self {
        let said = |field: &str| tool.extension(field).cloned().unwrap_or_default();
        // A word nobody knows promises nothing.
        let effects = SideEffects::parse(&said("side_effects")).unwrap_or_default();
        let idempotency: Idempotency =
            said("idempotency").as_str().and_then(|word| word.parse().ok()).unwrap_or_default();
        let only_reads = effects.are_harmless();
        let seconds = said("timeout_seconds").as_u64().filter(|seconds| *seconds > 0);
        let question = question(tool, policy);
        Self {
            name: tool.name().as_str().into(),
            only_reads,
            may_repeat: only_reads || idempotency.may_repeat(),
            is_repeatable: json::text(tool.runtime().as_object(), "duplicate_policy") == Some("repeatable"),
            ms_max: seconds.map_or(limits.tool_ms_max, |seconds| seconds.saturating_mul(1_000)),
            decision: resolve(&question, &Consulted::default()).decision,
            question,
            schema: OnceLock::new(),
        }
    }
}

fn question(tool: &ToolDeclaration, policy: &Object) -> Question {
    let mut context = policy.clone();
    context.insert("tool_name".into(), tool.name().as_str().into());
    context.insert("tool_def".into(), tool.to_value());
    Question::parse(&context, |_| json::object(policy, "agent_config").cloned())
}

impl ToolFacts {
    /// What is wrong with arguments; nothing when they fit, or when the schema itself is none.
    pub(in crate::engine) fn faults(&self, tool: &ToolDeclaration, arguments: &Object) -> Vec<ArgumentFault> {
        let compiled = || ArgumentSchema::compile(&Value::Object(tool.rules().schema())).ok().map(Arc::new);
        let schema = self.schema.get_or_init(compiled).as_ref();
        schema.map(|schema| schema.faults(&Value::Object(arguments.clone()))).unwrap_or_default()
    }
}
