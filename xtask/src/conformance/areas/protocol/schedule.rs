//! Operation `schedule`: a graph whose outcomes are written down beforehand, run in waves by the engine.
//!
//! The declaration is accepted as a model's would be. Its run asks no model, and every wave is what the engine has
//! started when the wave before has ended.

mod waves;

use std::sync::Arc;

use provost_contract::Action;
use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::json::into_object;
use provost_contract::tool::ToolFacts;
use provost_engine::event::{
    ActionSpec, Declaration, DeclarationAccepted, ExecutorKind, HookSet, Limits, Mode, ModelUse, Origin,
    RunAccepted, RunSpec, Step,
};
use provost_engine::view::graph_status;
use provost_engine::{
    ActionId, Actor, Agent, AgentSpec, Digest, Epoch, Event, EventKind, RunState, Seq, Time,
};
use provost_protocol::{AssistantMessage, Catalog, Content, Speaking, Strategy, Turn, accept};
use serde_json::{Map, Value, json};
use waves::Waves;

use super::super::{Answer, input, list};

/// The tool that plays the script of every action.
const TOOL: &str = "play";

pub(super) fn run(case: &Value) -> Answer {
    let parallel = input(case, "max_parallel").as_u64().and_then(|limit| u32::try_from(limit).ok());
    let limits = Limits { parallel: parallel.unwrap_or_default(), ..Limits::default() };
    // The limit is the runtime's own: no model can mend it by trying again.
    limits.check().map_err(|error| {
        let mut error = into_object(error.to_value());
        error.insert("retry".into(), false.into());
        Value::Object(error)
    })?;
    let declaration = declaration(case)?.accepted(1, Origin::Submitted);
    let cancel_after = input(case, "cancel_after_wave").as_u64().and_then(|wave| usize::try_from(wave).ok());
    let mut state = begun(limits, declaration).map_err(defect)?;
    let waves = Waves::new(&mut state, list(case, "actions"), cancel_after).play().map_err(defect)?;
    let statuses: Map<String, Value> =
        state.actions.values().map(|action| (action.spec.label.clone(), json!(action.status()))).collect();
    Ok(json!({ "waves": waves, "statuses": statuses, "run_status": graph_status(&state) }))
}

fn defect(error: impl std::fmt::Display) -> Value {
    json!({ "code": "engine", "message": error.to_string() })
}

/// Accepts the graph as the declaration of a model, and makes the engine's actions of it.
fn declaration(case: &Value) -> Result<Declaration, Value> {
    let tool = json!({ "name": TOOL, "input_schema": { "type": "object", "properties": {} } });
    let catalog = Catalog::parse(&[tool], &[], &[])?;
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let message = AssistantMessage::of_carrier_call(json!({
        "type": "agent.protocol",
        "version": "1",
        "intent": "execute",
        "execution": { "strategy": input(case, "strategy") },
        "payload": { "type": "action_graph", "actions": list(case, "actions").iter().map(wire).collect::<Value>() },
    }));
    let accepted = accept(&message, &turn).map_err(|refused| refused.to_value())?;
    let Content::Act(actions) = &accepted.content else {
        return Err(defect("the graph was not read as one"));
    };
    let strategy = accepted.envelope.as_ref().map(|envelope| envelope.strategy).unwrap_or_default();
    let scripts = list(case, "actions").iter().chain(std::iter::repeat(&Value::Null));
    let add =
        actions.iter().zip(scripts).map(|(action, script)| step(action, actions, script, strategy)).collect();
    Ok(Declaration { intent: "act".into(), add, ..Declaration::default() })
}

/// An action as the model declares it: without its outcome, and with the tool that plays it.
fn wire(script: &Value) -> Value {
    let mut wire = script.clone();
    if let Some(fields) = wire.as_object_mut() {
        fields.shift_remove("outcome");
        fields.insert("type".into(), "action".into());
        fields.insert("executor".into(), json!({ "type": "tool", "target": TOOL }));
    }
    wire
}

fn step(action: &Action, actions: &[Action], script: &Value, strategy: Strategy) -> Step {
    let mut spec = ActionSpec::new(ActionId { declaration: 1, index: 0 }, TOOL, ExecutorKind::Tool);
    spec.label = action.id.to_string();
    spec.on_failure = action.failure_policy;
    // The executors behind a script have no effects, so they may be repeated.
    spec.facts = ToolFacts {
        effects: [SideEffect::None].into_iter().collect(),
        idempotency: Idempotency::Pure,
        ..ToolFacts::default()
    };
    let mut policies = Map::new();
    if strategy == Strategy::Sequential {
        policies.insert("budget_policy".into(), json!({ "value": { "max_parallel": 1 } }));
    }
    if waves::is_blocked(script) {
        policies.insert("permission_policy".into(), json!({ "value": "ask" }));
    }
    if !policies.is_empty() {
        spec.policies = policies.into();
    }
    let index =
        |id: &_| actions.iter().position(|other| other.id == *id).and_then(|at| u32::try_from(at).ok());
    Step {
        spec,
        depends_on: action.depends_on.iter().filter_map(index).collect(),
        when: Vec::new(),
        earlier: Vec::new(),
    }
}

/// An accepted run that carries out a declaration without a model.
fn begun(limits: Limits, declaration: DeclarationAccepted) -> Result<RunState, Box<dyn std::error::Error>> {
    let spec = RunSpec {
        run: "run".parse()?,
        agent: "scripts".into(),
        compiled: Digest::of(b"agent"),
        policy: Digest::of(b"policy"),
        principal: Value::Null,
        workspace: "workspace:1".into(),
        mode: Mode::Protocol,
        model: ModelUse::None,
        input: Vec::new(),
        context: Map::new(),
        session: None,
        parent: None,
        forked: None,
        limits,
        budgets: [].into(),
        budgets_used: [].into(),
        hooks: HookSet::default(),
        output_schema: None,
        labels: [].into(),
    };
    let event = |seq: u64, kind: EventKind| {
        let (at, epoch, actor) = (Time(0), Epoch(0), Actor::runtime());
        Event { seq: Seq(seq), at, epoch, actor, kind, erased: false }
    };
    let agent = Arc::new(Agent::new(AgentSpec { name: "scripts".into(), ..AgentSpec::default() })?);
    let events = [event(1, RunAccepted { spec: Arc::new(spec) }.into()), event(2, declaration.into())];
    Ok(RunState::fold(agent, Vec::new(), &events)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of one action, and one that depends on it.
    fn played(outcome: Value, more: Value) -> Value {
        let mut first = json!({ "id": "x", "outcome": outcome });
        let mut case = json!({ "max_parallel": 1 });
        for (name, value) in more.as_object().into_iter().flatten() {
            let of = if name == "failure_policy" { &mut first } else { &mut case };
            of[name] = value.clone();
        }
        case["actions"] =
            json!([first, { "id": "y", "depends_on": ["x"], "outcome": "completed" }, { "id": "z" }]);
        run(&case).unwrap_or_else(|error| error)
    }

    #[test]
    fn words_and_moments_that_no_vector_has() {
        let table = [
            (json!("blocked"), json!({}), json!([["x", "z"]]), ["blocked", "blocked", "failed"], "failed"),
            (json!("waiting"), json!({}), json!([["x"], ["z"]]), ["waiting", "pending", "failed"], "failed"),
            (
                json!(["failed", "completed"]),
                json!({ "failure_policy": "retry", "cancel_after_wave": 1, "max_parallel": 2 }),
                json!([["x", "z"]]),
                ["completed", "canceled", "failed"],
                "canceled",
            ),
        ];
        for (outcome, more, waves, [x, y, z], status) in table {
            let expected =
                json!({ "waves": waves, "statuses": { "x": x, "y": y, "z": z }, "run_status": status });
            assert_eq!(played(outcome.clone(), more), expected, "{outcome}");
        }
    }
}
