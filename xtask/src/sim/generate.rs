//! Random runs, actions and responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use provost_contract::Message;
use provost_contract::action::{Access, ConditionStatus, FailurePolicy, Repeat, Resource};
use provost_contract::json::Object;
use provost_engine::event::{
    ActionSpec, Assignment, Call, Choice, Continuation, Declaration, ExecutorKind, HookSet, Limits, Mode,
    ModelUse, Parsed, RunSpec, SessionFrom, Step, Unprepared,
};
use provost_engine::{
    ActionId, Args, Digest, Fault, ModelResponse, Payload, RunId, RunState, SessionId, Usage,
};
use serde_json::json;

use super::agents::{Agents, Persona, RULES, facts, policy, tool};
use super::dice::{chance, one, weighted};

/// What a model call may cost at most.
pub(super) const RESERVE: u64 = 10;
/// The workspace of every run.
pub(super) const WORKSPACE: &str = "w";

/// Returns an amount of tokens.
pub(super) fn tokens(amount: u64) -> Usage {
    Usage::of("tokens", amount)
}

/// What the actions of a world are made of.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) agents: Arc<Agents>,
    /// The kind of executor that it has most of.
    pub(super) taste: ExecutorKind,
}

impl Recipe {
    pub(super) fn new(rng: &mut Rng, agents: Arc<Agents>) -> Self {
        use ExecutorKind::{Agent, Client, Pipeline, Program, Tool};
        let tastes = [(50, Tool), (25, Program), (10, Agent), (8, Pipeline), (7, Client)];
        Self { agents, taste: weighted(rng, Tool, &tastes) }
    }
}

/// Where a new run stands.
pub(super) struct Place {
    pub(super) run: RunId,
    pub(super) session: Option<(SessionId, u64)>,
    pub(super) parent: Option<Assignment>,
    pub(super) strict: bool,
}

/// Returns a run. A delegated one may spend its share.
pub(super) fn run(rng: &mut Rng, recipe: &Recipe, persona: &Persona, place: Place) -> RunSpec {
    let plain = if recipe.taste == ExecutorKind::Tool { 60 } else { 20 };
    let mode = weighted(rng, Mode::Plain, &[(plain, Mode::Plain), (100 - plain, Mode::Protocol)]);
    let asked = place.session.is_some() || place.parent.is_some() || !chance(rng, 15);
    let model = if asked { ModelUse::Asked } else { ModelUse::None };
    let budgets = budgets(rng, place.parent.as_ref());
    RunSpec {
        run: place.run,
        agent: persona.agent.spec.name.clone(),
        compiled: persona.agent.digest,
        policy: policy(place.strict),
        principal: json!({ "acting_user_id": 7 }),
        workspace: WORKSPACE.to_owned(),
        mode: if asked { mode } else { Mode::Protocol },
        model,
        input: vec![Arc::new(Message::text("user", "Do it."))],
        context: Object::new(),
        session: place.session.map(|(id, from)| SessionFrom { id, from }),
        parent: place.parent,
        forked: None,
        limits: limits(rng),
        budgets,
        budgets_used: BTreeMap::new(),
        hooks: hooks(rng),
        output_schema: None,
        labels: BTreeMap::new(),
    }
}

fn budgets(rng: &mut Rng, parent: Option<&Assignment>) -> BTreeMap<String, u64> {
    let mut budgets = BTreeMap::new();
    let share = parent.map(|parent| parent.share.get("tokens"));
    budgets.insert("tokens".to_owned(), share.unwrap_or_else(|| one(rng, 60, &[200, 400])));
    if chance(rng, 70) {
        budgets.insert("tool_calls".to_owned(), one(rng, 3, &[8, 30]));
    }
    if chance(rng, 20) {
        budgets.insert(format!("tool_calls_{}", tool("none", "ok")), rng.u64(1..4));
    }
    if chance(rng, 25) {
        budgets.insert("wall_clock_seconds".to_owned(), rng.u64(5..120));
    }
    budgets
}

fn limits(rng: &mut Rng) -> Limits {
    Limits {
        turns: rng.u32(2..10),
        parallel: rng.u32(1..5),
        children: rng.u32(1..3),
        depth: 2,
        wait_ms: chance(rng, 60).then(|| rng.u64(5_000..60_000)),
        refusals: rng.u32(0..3),
        repetitions: chance(rng, 80).then(|| rng.u32(3..5)),
        equal_failures: chance(rng, 30).then_some(2),
        events: if chance(rng, 3) { 40 } else { 1_000_000 },
        ..Limits::default()
    }
}

fn hooks(rng: &mut Rng) -> HookSet {
    let many = chance(rng, 40);
    let mut on = || many && chance(rng, 25);
    let mut hooks = HookSet {
        before_model: on(),
        after_model: on(),
        policy: on(),
        mediate: on(),
        after_tool: on(),
        completion: on(),
        continuation: Continuation::WhileCalling,
        interrupt: on(),
        on_stop: on(),
        preview: on(),
    };
    if on() {
        hooks.continuation = one(rng, Continuation::Never, &[Continuation::Asked, Continuation::Asked]);
    }
    hooks
}

/// Returns arguments. Some of them a policy hook does not like.
pub(super) fn args(rng: &mut Rng) -> Args {
    Args::open(Object::from_iter([("n".to_owned(), rng.u32(0..14).into())]))
}

fn rule(rng: &mut Rng) -> &'static str {
    let rare = one(rng, "ask", &RULES);
    weighted(rng, "ok", &[(60, "ok"), (40, rare)])
}

fn kind(rng: &mut Rng, recipe: &Recipe, depth: u32, nested: bool) -> ExecutorKind {
    use ExecutorKind::{Agent, Client, Human, Pipeline, Program, Runtime, Service, Signal, Timer, Tool};
    let (agent, pipeline) = (if depth < 2 { 8 } else { 0 }, if nested { 0 } else { 7 });
    let kinds = [
        (46, Tool),
        (4, Service),
        (2, Runtime),
        (14, Program),
        (7, Client),
        (6, Human),
        (agent, Agent),
        (5, Timer),
        (4, Signal),
        (pipeline, Pipeline),
    ];
    let kind = weighted(rng, Tool, &kinds);
    let possible = match recipe.taste {
        Agent => depth < 2,
        Pipeline => !nested,
        _ => true,
    };
    if possible && chance(rng, 40) { recipe.taste } else { kind }
}

/// The first part of the name of a tool that an executor of a kind carries out.
fn word(rng: &mut Rng, kind: ExecutorKind) -> &'static str {
    match kind {
        ExecutorKind::Tool | ExecutorKind::Service => one(rng, "read", &["pure", "keyed", "none", "none"]),
        ExecutorKind::Program => weighted(rng, "prog", &[(9, "prog"), (1, "loose")]),
        ExecutorKind::Client => one(rng, "client-read", &["client-write"]),
        ExecutorKind::Agent => "agent",
        ExecutorKind::Pipeline => "pipe",
        ExecutorKind::Human | ExecutorKind::Timer | ExecutorKind::Signal | ExecutorKind::Runtime => "human",
    }
}

/// Returns an action of one kind without edges.
pub(super) fn action(rng: &mut Rng, recipe: &Recipe, kind: ExecutorKind) -> ActionSpec {
    let (word, rule) = (word(rng, kind), rule(rng));
    let operation = tool(word, rule);
    let mut spec = ActionSpec::new(ActionId { declaration: 1, index: 0 }, operation, kind);
    spec.facts = facts(&recipe.agents, &spec.operation);
    spec.args = args(rng);
    let policy = one(rng, "ask_model", &["retry", "retry", "abort", "continue", "continue"]);
    let attempts = if policy == "retry" { rng.u32(2..4) } else { 1 };
    let policy = json!({ "on_failure": policy, "max_attempts": attempts });
    spec.on_failure = FailurePolicy::parse(&policy).unwrap_or_default();
    spec.persist = !chance(rng, 5);
    if chance(rng, 3) {
        spec.unprepared = Some(Unprepared { code: "missing_parameters".into(), result: Object::new() });
    }
    match kind {
        ExecutorKind::Agent => spec.share = tokens(one(rng, 30, &[60, 100])),
        ExecutorKind::Timer => spec.wait_ms = Some(rng.u64(1..20_000)),
        ExecutorKind::Signal => spec.executor.target = one(rng, "s0", &["s1"]).to_owned(),
        _ => {}
    }
    spec
}

/// Returns a graph of actions with edges, conditions, loops and resources.
pub(super) fn steps(rng: &mut Rng, recipe: &Recipe, depth: u32, nested: bool) -> Vec<Step> {
    let count = weighted(rng, 1, &[(30, 1), (30, 2), (20, 3), (12, 4), (8, 5)]);
    let mut steps: Vec<Step> = Vec::new();
    for index in 0..count {
        let kind = kind(rng, recipe, depth, nested);
        let mut spec = action(rng, recipe, kind);
        spec.label = format!("a{index}");
        for _ in 0..rng.u32(0..3) {
            let access = one(rng, Access::Read, &[Access::Write]);
            spec.resources.push(Resource { name: format!("r{}", rng.u32(0..3)), access });
        }
        if matches!(kind, ExecutorKind::Tool | ExecutorKind::Program) && chance(rng, 12) {
            let until = chance(rng, 50).then(|| json!({ "field": "/goal", "equals": true }));
            let repeat = json!({ "max": rng.u32(2..4), "until": until });
            spec.repeat = Repeat::parse(&repeat).ok();
        }
        if kind == ExecutorKind::Pipeline {
            spec.steps = self::steps(rng, recipe, 9, true);
            // What a pipeline uses is the union of what its steps use.
            spec.resources.extend(spec.steps.iter().flat_map(|step| step.spec.resources.clone()));
        }
        let mut step = Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() };
        if index > 0 && chance(rng, 50) {
            step.depends_on.push(rng.u32(0..index));
            let other = rng.u32(0..index);
            if !step.depends_on.contains(&other) && chance(rng, 50) {
                step.depends_on.push(other);
            }
            if chance(rng, 25) {
                let status = one(
                    rng,
                    ConditionStatus::Completed,
                    &[ConditionStatus::Failed, ConditionStatus::Blocked],
                );
                step.when.extend(step.depends_on.first().map(|first| (*first, status)));
            }
        }
        steps.push(step);
    }
    steps
}

/// A response, and whether the engine must refuse it whatever hooks say.
pub(super) struct Said {
    pub(super) response: ModelResponse,
    pub(super) refused: bool,
}

/// Returns what a model says next.
pub(super) fn response(rng: &mut Rng, recipe: &Recipe, state: &RunState) -> Said {
    let usage = (!chance(rng, 10)).then(|| tokens(rng.u64(1..=RESERVE)));
    let messages = vec![Arc::new(Message::text("assistant", "Working on it."))];
    let mut response = ModelResponse { messages, usage, ..ModelResponse::default() };
    if chance(rng, 3) {
        response.output = Some(Err(Fault::new("output_schema", "It is not JSON.")));
        if state.is_protocol() {
            response.declaration = Some(Parsed::Declared(Box::default()));
        }
        return Said { response, refused: true };
    }
    if state.is_protocol() {
        let (declaration, refused) = declaration(rng, recipe, state);
        response.declaration = Some(declaration);
        return Said { response, refused };
    }
    if chance(rng, 4) {
        response.malformed = 1;
    }
    if chance(rng, 60) {
        response.calls = calls(rng);
    }
    Said { response, refused: false }
}

fn calls(rng: &mut Rng) -> Vec<Arc<Call>> {
    let count = weighted(rng, 1, &[(30, 1), (30, 2), (20, 3), (12, 4), (8, 5)]);
    let call = |index: u32| {
        let word =
            one(rng, "read", &["read", "pure", "keyed", "none", "none", "client-read", "client-write"]);
        let unprepared =
            chance(rng, 3).then(|| Unprepared { code: "missing_parameters".into(), result: Object::new() });
        Arc::new(Call {
            label: format!("call-{index}"),
            name: tool(word, rule(rng)),
            called: None,
            args: args(rng),
            unprepared,
        })
    };
    (0..count).map(call).collect()
}

/// Returns a declaration, and whether it names something that cannot be done.
fn declaration(rng: &mut Rng, recipe: &Recipe, state: &RunState) -> (Parsed, bool) {
    if chance(rng, 5) {
        return (Parsed::Malformed { fault: Fault::new("malformed", "It cannot be read.") }, true);
    }
    let mut declared = Declaration { intent: "act".into(), ..Declaration::default() };
    let nowhere = ActionId { declaration: 999, index: 0 };
    if chance(rng, 2) {
        declared.cancel.push(nowhere);
        return (Parsed::Declared(Box::new(declared)), true);
    }
    let undecided: Vec<_> = state.actions.iter().filter(|(_, action)| state.is_undecided(action)).collect();
    if !undecided.is_empty() && chance(rng, 70) {
        for (id, action) in undecided {
            let retriable = action.end.as_ref().is_some_and(|end| {
                end.status == provost_engine::event::ActionEnd::Failed || end.reason == "in_doubt"
            });
            let choice = one(rng, Choice::Accept, &[Choice::Skip, Choice::Retry, Choice::Retry]);
            let choice = if choice == Choice::Retry && !retriable { Choice::Accept } else { choice };
            declared.decide.push((*id, choice));
        }
        return (Parsed::Declared(Box::new(declared)), false);
    }
    if !state.open.is_empty() && chance(rng, 40) {
        if chance(rng, 50) {
            declared.cancel.extend(state.open.iter().take(rng.usize(1..3)));
        }
        declared.intent = "answer".into();
        declared.answer = Some(Payload::inline("waiting"));
        return (Parsed::Declared(Box::new(declared)), false);
    }
    if chance(rng, 60) {
        let depth = state.spec.parent.as_ref().map_or(0, |parent| parent.depth);
        declared.add = steps(rng, recipe, depth, false);
        if let Some(step) = declared.add.first_mut().filter(|_| chance(rng, 20)) {
            let top = state.actions.iter().filter(|(_, action)| action.spec.under.is_none());
            step.earlier.extend(top.map(|(id, _)| *id).take(1));
        }
        let same = chance(rng, 60);
        let about = if same { b"same".to_vec() } else { rng.u64(..).to_be_bytes().to_vec() };
        declared.signature = Some(Digest::of(&about));
        let idle = state.open_actions().filter(|(_, action)| {
            action.stage == provost_engine::state::Stage::Pending
                && !action.holds
                && action.wait.is_none()
                && action.spec.under.is_none()
        });
        if let Some((id, _)) = idle.take(1).last().filter(|_| chance(rng, 30)) {
            declared.replace.push((id, 0));
        }
    } else {
        declared.intent = "answer".into();
        declared.answer = Some(Payload::inline("done"));
    }
    (Parsed::Declared(Box::new(declared)), false)
}
