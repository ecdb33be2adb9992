//! Random graphs: what starts, how much at once, and that the end does not depend on the order of the outcomes.
//!
//! The expected statuses are worked out from the outcomes alone, one action after another, by the plainest words of the
//! rules. Nothing of the engine is used for that.

use std::collections::BTreeMap;

use fastrand::Rng;
use provost_contract::action::ActionStatus::{self, Blocked, Canceled, Completed, Failed};
use provost_contract::action::{Access, ConditionStatus, FailurePolicy, OnFailure, Repeat, Resource};
use provost_engine::event::*;
use provost_engine::{ActionId, Effect, Input, RunState, Usage, due, react, wake_at};
use serde_json::json;

use crate::world::{World, done, failed, step};

const GRAPHS: u64 = 250;
const ORDERS: u64 = 3;

/// A graph, and how every attempt of it ends.
struct Graph {
    steps: Vec<Step>,
    /// How many attempts of each action fail before one completes.
    failures: Vec<u32>,
    parallel: u32,
}

/// Mostly small graphs, where shrinking by eye is possible; sometimes a large one.
fn size(rng: &mut Rng) -> usize {
    match rng.u8(0..40) {
        0..30 => rng.usize(1..12),
        30..39 => rng.usize(12..40),
        _ => rng.usize(40..=150),
    }
}

/// Actions in random declaration order, so that dependencies stand before and after their dependents.
fn graph(rng: &mut Rng) -> Graph {
    let size = size(rng);
    let mut places: Vec<usize> = (0..size).collect();
    rng.shuffle(&mut places);
    let mut steps: Vec<Option<Step>> = vec![None; size];
    for rank in 0..size {
        let mut dependencies: Vec<u32> =
            (0..rng.usize(0..4).min(rank)).map(|_| places[rng.usize(0..rank)] as u32).collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        steps[places[rank]] = Some(action(rng, dependencies));
    }
    let failures = (0..size).map(|_| if rng.u8(0..3) == 0 { rng.u32(1..4) } else { 0 }).collect();
    Graph { steps: steps.into_iter().flatten().collect(), failures, parallel: rng.u32(1..6) }
}

fn action(rng: &mut Rng, dependencies: Vec<u32>) -> Step {
    let pure = json!({ "effects": ["none"], "idempotency": "pure" });
    let kind = if rng.u8(0..8) == 0 { ExecutorKind::Human } else { ExecutorKind::Tool };
    let mut step = step("work", kind, pure);
    step.spec.on_failure = match rng.u8(0..6) {
        0 | 1 => OnFailure::Continue.into(),
        2 => FailurePolicy::parse(&json!({ "on_failure": "retry", "max_attempts": rng.u32(1..4) })).unwrap(),
        _ => OnFailure::AskModel.into(),
    };
    if let Some(dependency) = rng.choice(&dependencies).filter(|_| rng.u8(0..4) == 0) {
        let statuses = [ConditionStatus::Completed, ConditionStatus::Failed, ConditionStatus::Blocked];
        step.when.push((*dependency, statuses[rng.usize(0..3)]));
    }
    if rng.u8(0..8) == 0 {
        step.spec.repeat = Some(Repeat::parse(&json!({ "max": rng.u8(1..4) })).unwrap());
    }
    if rng.u8(0..3) == 0 {
        let mut resource = || {
            let access = if rng.bool() { "read" } else { "write" };
            json!({ "ref": format!("file:{}", rng.u8(0..4)), "access": access })
        };
        step.spec.resources = Resource::parse_all(&json!([resource(), resource()])).unwrap();
    }
    step.depends_on = dependencies;
    step
}

/// How every action ends, worked out one after another from how its own attempts would end.
fn expected(graph: &Graph) -> Vec<ActionStatus> {
    let mut known: BTreeMap<usize, ActionStatus> = BTreeMap::new();
    while known.len() < graph.steps.len() {
        for (at, step) in graph.steps.iter().enumerate() {
            let dependencies: Option<Vec<ActionStatus>> =
                step.depends_on.iter().map(|on| known.get(&(*on as usize)).copied()).collect();
            if let Some(ended) = dependencies {
                known.insert(at, ends(graph, at, &ended));
            }
        }
    }
    known.into_values().collect()
}

fn ends(graph: &Graph, at: usize, dependencies: &[ActionStatus]) -> ActionStatus {
    let step = &graph.steps[at];
    let (mut good, mut unmet, mut bad) = (step.depends_on.is_empty(), false, false);
    for (on, status) in step.depends_on.iter().zip(dependencies) {
        let condition = step.when.iter().find(|(index, _)| index == on);
        let continues = graph.steps[*on as usize].spec.on_failure.on_failure == OnFailure::Continue;
        match (condition, status) {
            (Some((_, wanted)), status) if ActionStatus::from(*wanted) == *status => good = true,
            (Some(_), _) => unmet = true,
            (None, Completed) => good = true,
            // Without a cancel only a branch that was not taken ends so.
            (None, Canceled) => {}
            (None, Failed) if continues => good = true,
            (None, _) => bad = true,
        }
    }
    match () {
        () if bad => Blocked,
        () if unmet || !good => Canceled,
        () if graph.failures[at] < attempts(&step.spec) => Completed,
        () => Failed,
    }
}

/// How many attempts an action has before it fails.
fn attempts(spec: &ActionSpec) -> u32 {
    match spec.on_failure.on_failure {
        OnFailure::Retry => spec.on_failure.max_attempts(),
        OnFailure::AskModel | OnFailure::Continue | OnFailure::Abort => 1,
    }
}

/// Carries a graph out; what is open ends in random order, one after another or several at once.
fn play(graph: &Graph, rng: &mut Rng) -> World {
    let limits = Limits { parallel: graph.parallel, ..Limits::default() };
    let mut world = World::executes(limits, graph.steps.clone());
    let mut inputs = vec![world.claim()];
    let mut failures = graph.failures.clone();
    while world.state.ended.is_none() {
        let events = react(&mut world.state, &world.now, std::mem::take(&mut inputs)).unwrap();
        world.events.extend(events);
        check(graph, &world.state);
        let mut open = open(&world);
        rng.shuffle(&mut open);
        open.truncate(rng.usize(1..=open.len().max(1)));
        for id in open {
            let input = ending(&mut world, id, &mut failures);
            inputs.push(input);
        }
        if inputs.is_empty() && world.state.ended.is_none() {
            let time =
                wake_at(&world.state, &world.now).expect("what has not ended goes on, waits or is retried");
            world.now.wall = time;
            inputs.push(Input::Tick);
        }
    }
    world
}

/// The actions that run or wait for a person.
fn open(world: &World) -> Vec<ActionId> {
    let effects = due(&world.state, &world.now).into_iter();
    let running = effects.filter_map(|effect| match effect {
        Effect::Execute(execute) => Some(execute.action),
        _ => None,
    });
    let waiting = world.state.waits.values().flat_map(|wait| wait.actions.iter().copied());
    running.chain(waiting).collect()
}

fn ending(world: &mut World, id: ActionId, failures: &mut [u32]) -> Input {
    let action = world.state.action(id).unwrap();
    let left = &mut failures[id.index as usize];
    let fails = *left > 0;
    *left = left.saturating_sub(1);
    if let Some(number) = action.wait {
        let status = if fails { ActionEnd::Failed } else { ActionEnd::Completed };
        return world.reply(number, crate::world::result(status));
    }
    let outcome = if fails { failed() } else { done() };
    Input::Outcome { action: id, attempt: action.attempt, outcome, usage: Usage::default() }
}

/// What holds after every step: dependencies before dependents, no more tasks than allowed, and a writer alone.
fn check(graph: &Graph, state: &RunState) {
    let begun = state.actions.values().filter(|action| action.attempt > 0);
    for action in begun {
        for on in &action.spec.depends_on {
            assert!(state.action(*on).unwrap().is_ended(), "{} begins before {on}", action.spec.id);
        }
    }
    assert!(state.running_tasks() <= graph.parallel, "{} tasks at once", state.running_tasks());
    let holding: Vec<_> = state.open_actions().filter(|(_, action)| action.holds).collect();
    for (id, one) in &holding {
        for (other, another) in holding.iter().filter(|(other, _)| other > id) {
            assert!(!meet(&one.spec, &another.spec), "{id} and {other} use one resource");
        }
    }
}

fn meet(one: &ActionSpec, other: &ActionSpec) -> bool {
    one.resources.iter().any(|left| {
        other.resources.iter().any(|right| {
            left.name == right.name && (left.access == Access::Write || right.access == Access::Write)
        })
    })
}

/// A loop without a goal completes when its rounds have; failures count in each round anew, so that it is left out.
fn is_plain(graph: &Graph) -> bool {
    let loops = |at: usize| graph.steps[at].spec.repeat.is_some() && graph.failures[at] > 0;
    !(0..graph.steps.len()).any(loops)
}

#[test]
fn statuses_follow_from_the_outcomes_in_any_order() {
    for seed in 0..GRAPHS {
        let mut graph = graph(&mut Rng::with_seed(seed));
        if !is_plain(&graph) {
            graph.failures.fill(0);
        }
        let expected = expected(&graph);
        for order in 0..ORDERS {
            let world = play(&graph, &mut Rng::with_seed(seed * 1_000 + order));
            let found: Vec<ActionStatus> =
                world.state.actions.values().map(|action| action.status()).collect();
            assert_eq!(found, expected, "seed {seed}, order {order}");
            let folded = RunState::fold(world.state.agent.clone(), Vec::new(), &world.events).unwrap();
            assert!(folded == world.state, "seed {seed}: the fold of the journal is not the live state");
        }
    }
}

/// An abort or a cancel ends what has not begun, whatever the order; nothing begins after it, and everything ends.
#[test]
fn after_an_abort_or_a_cancel_nothing_begins_and_everything_ends() {
    for seed in 0..GRAPHS {
        let mut rng = Rng::with_seed(seed);
        let mut graph = graph(&mut rng);
        for step in &mut graph.steps {
            if rng.u8(0..4) == 0 {
                step.spec.on_failure = OnFailure::Abort.into();
            }
        }
        let world = play(&graph, &mut rng);
        let aborted = first_abort(&world);
        let begins = world.events.iter().enumerate().filter_map(|(at, event)| match &event.kind {
            EventKind::ActionStarted(started) if started.attempt == 1 => Some(at),
            _ => None,
        });
        assert!(begins.max().unwrap_or_default() < aborted, "seed {seed}: an action begins after an abort");
        assert!(world.state.open.is_empty() && world.state.waits.is_empty(), "seed {seed}");
        let mut cancelled = World::executes(Limits::default(), graph.steps.clone()).claimed();
        let signal = cancelled.signal(crate::world::cancel());
        cancelled.feed(vec![signal]);
        for (id, attempt) in stops(&cancelled) {
            let (outcome, usage) = (Outcome::Stopped, Usage::default());
            cancelled.feed(vec![Input::Outcome { action: id, attempt, outcome, usage }]);
        }
        assert_eq!(cancelled.state.ended, Some(EndStatus::Cancelled), "seed {seed}");
    }
}

/// Where the first action failed whose policy is to abort.
fn first_abort(world: &World) -> usize {
    let aborts = |id: ActionId| {
        world.state.action(id).is_some_and(|action| action.spec.on_failure.on_failure == OnFailure::Abort)
    };
    let failed = world.events.iter().position(|event| match &event.kind {
        EventKind::ActionEnded(ended) => ended.status == ActionEnd::Failed && aborts(ended.action),
        _ => false,
    });
    failed.unwrap_or(usize::MAX)
}

fn stops(world: &World) -> Vec<(ActionId, u32)> {
    let effects = due(&world.state, &world.now).into_iter();
    let stops = effects.filter_map(|effect| match effect {
        Effect::Stop { action, attempt } => Some((action, attempt)),
        _ => None,
    });
    stops.collect()
}

/// The others end in any order, and a hook must say the same of an action whatever ended before it.
#[test]
fn a_hook_about_an_action_of_a_graph_sees_what_stood_there_when_it_was_declared() {
    let world = World::protocol();
    let read = || step("read", ExecutorKind::Tool, crate::world::reads());
    let graph = world.acts(vec![read(), read()]);
    let world = world.after(graph);
    let second = ActionId { declaration: 1, index: 1 };
    let before = world.state.shown_about(second);
    let first = world.ends("1.0", done());
    let world = world.after(first);
    assert_eq!(world.state.shown_about(second), before);
    assert_eq!(world.state.shown().len(), before.len() + 1);
}
