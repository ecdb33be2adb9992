//! A caller's options as a run that can be accepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::{ContractError, Result};
use provost_engine::event::{Continuation, HookSet, Limits, Mode, ModelUse, RunSpec};
use provost_engine::{
    Actor, Agent, AgentSpec, ArgumentCheck, ClientTools, Digest, RunId, SessionId, WhenBusy,
};

use crate::dispatch::NewRunRequest;
use crate::driver::{Host, Start};
use crate::engine::{self, Spec};

/// Returns the request for a run of what a caller asked for.
///
/// # Errors
/// If a tool declares something of itself that cannot be read, or the session has no usable name.
pub fn request(start: &Start, host: &Host, run: RunId, by: Actor) -> Result<NewRunRequest> {
    let agent = Arc::new(Agent::new(agent_spec(&start.spec))?);
    let spec = run_spec(&start.spec, host, run, agent.digest);
    let session = start.spec.session.as_ref().map(|session| session.id.parse::<SessionId>()).transpose();
    let session = session
        .map_err(|error| ContractError::field("invalid_run_options", "session_id", &error.to_string()))?;
    let mut request = NewRunRequest::new(spec, agent, by);
    request.session = session.map(|session| (session, WhenBusy::Refuse));
    Ok(request)
}

/// Returns the agent of what a caller asked for.
pub fn agent_spec(spec: &Spec) -> AgentSpec {
    AgentSpec {
        name: spec.about.agent.clone(),
        instructions: Vec::new(),
        models: vec![spec.model.clone()],
        tools: (*spec.tools).clone(),
        visibility: spec.visibility.clone(),
        policy: spec.policy.clone(),
        call_rules: spec.tool_call_rules.clone(),
        approvers: spec.approvers(),
        compaction: spec.compaction.clone(),
        result_bytes_max: spec.result_bytes_max,
        arguments: match spec.arguments {
            engine::ArgumentCheck::Required => ArgumentCheck::Required,
            engine::ArgumentCheck::Schema => ArgumentCheck::Schema,
        },
        // The executors of a host have the last word: one that a client must answer for says so.
        client_tools: ClientTools::Execute,
        ..AgentSpec::default()
    }
}

fn run_spec(spec: &Spec, host: &Host, run: RunId, compiled: Digest) -> RunSpec {
    RunSpec {
        run,
        agent: spec.about.agent.clone(),
        compiled,
        policy: compiled,
        principal: spec.about.principal.clone(),
        workspace: spec.about.workspace.clone(),
        mode: Mode::Plain,
        model: ModelUse::Asked,
        input: spec.messages.clone(),
        context: spec.context.clone(),
        session: None,
        parent: None,
        forked: None,
        limits: limits(spec),
        budgets: budgets(spec, |budget| budget.ceiling.max(1)),
        budgets_used: budgets(spec, |budget| budget.current),
        hooks: hooks(spec, host),
        output_schema: spec.structured_output.clone(),
        labels: BTreeMap::new(),
    }
}

fn limits(spec: &Spec) -> Limits {
    let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let threshold = |given: Option<i64>| given.map(|given| count(given.max(2).unsigned_abs()));
    Limits {
        turns: count(spec.max_turns),
        parallel: count(spec.limits.parallel_max as u64).max(1),
        model_ms: spec.limits.model_ms_max,
        tool_ms: spec.limits.tool_ms_max,
        hook_ms: spec.limits.hook_ms_max,
        wait_ms: spec.limits.approval_ms_max,
        repetitions: threshold(spec.spin_threshold),
        equal_failures: threshold(spec.failure_threshold),
        ..Limits::default()
    }
}

/// The limits by name; of two with one name the last one counts.
fn budgets(spec: &Spec, of: impl Fn(&engine::BudgetSpec) -> i64) -> BTreeMap<String, u64> {
    let named = spec
        .budgets
        .iter()
        .map(|budget| (budget.name.clone(), u64::try_from(of(budget)).unwrap_or_default()));
    named.collect()
}

fn hooks(spec: &Spec, host: &Host) -> HookSet {
    HookSet {
        policy: spec.asks.policy,
        mediate: spec.asks.mediator,
        completion: spec.asks.completion,
        interrupt: spec.asks.interrupts,
        after_tool: host.diagnostics.is_some(),
        preview: host.executors.is_some(),
        continuation: match spec.asks.continuation {
            engine::Continuation::WhileCalling => Continuation::WhileCalling,
            engine::Continuation::Never => Continuation::Never,
            engine::Continuation::Asked => Continuation::Asked,
        },
        ..HookSet::default()
    }
}
