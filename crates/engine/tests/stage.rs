//! Runs in every stage that an action can be in, and in every state that a run can be in.

use provost_engine::Verdict::{Allow, Ask};
use provost_engine::event::*;
use provost_engine::{Input, Payload};

use crate::world::{
    World, cancel, done, failed, id, message, proposed, reads, run_spec, step, transactional, verdicts,
    writes,
};

/// A run, and what is special about it.
pub(crate) type Named = (&'static str, World);

fn with(steps: Vec<Step>) -> World {
    let world = World::protocol();
    let graph = world.acts(steps);
    world.after(graph)
}

fn one(operation: &str, kind: ExecutorKind, facts: serde_json::Value) -> World {
    with(vec![step(operation, kind, facts)])
}

fn program() -> World {
    one("program", ExecutorKind::Program, transactional())
}

fn after_outcome(world: World, outcome: Outcome) -> World {
    let input = world.ends("1.0", outcome);
    world.after(input)
}

fn lost(world: World) -> World {
    let world = world.claimed();
    let input = world.recovers("1.0", false, Probe::Unknown);
    world.after(input)
}

fn applying() -> World {
    after_outcome(program(), proposed(&[Allow]))
}

fn repeated() -> Step {
    let mut step = step("read", ExecutorKind::Tool, reads());
    step.spec.on_failure = provost_contract::action::OnFailure::Retry.into();
    step
}

/// The action 1.0 in every stage, with and without a wait.
pub(crate) fn stages() -> Vec<Named> {
    let mut behind = step("write", ExecutorKind::Tool, writes());
    behind.depends_on = vec![1];
    let ask = || one("test/ask", ExecutorKind::Tool, writes());
    let input = Outcome::InputRequired { request: Payload::inline("Which?"), state: Payload::default() };
    let mut stages = vec![
        ("pending, behind 1.1", with(vec![behind, step("read", ExecutorKind::Tool, reads())])),
        ("pending, to be retried later", after_outcome(with(vec![repeated()]), failed())),
        ("pending with an approval", ask()),
        ("running (run), a write", one("write", ExecutorKind::Tool, writes())),
        ("running (run), a read", one("read", ExecutorKind::Tool, reads())),
        ("running (run), a transactional program", program()),
        ("running (apply)", applying()),
        ("running (run), of an earlier epoch, a write", one("write", ExecutorKind::Tool, writes()).claimed()),
        ("running (run), of an earlier epoch, a read", one("read", ExecutorKind::Tool, reads()).claimed()),
        ("running (apply), of an earlier epoch", applying().claimed()),
    ];
    let waiting = [
        ("running with a client wait", ExecutorKind::Client),
        ("running with a question", ExecutorKind::Human),
        ("running with a child", ExecutorKind::Agent),
        ("running with a timer", ExecutorKind::Timer),
        ("running with a signal wait", ExecutorKind::Signal),
    ];
    stages.extend(waiting.map(|(name, kind)| (name, one("built", kind, writes()))));
    stages.extend([
        ("proposed, not started yet", draining(program(), proposed(&[Allow]))),
        ("proposed with an approval", after_outcome(program(), proposed(&[Allow, Ask]))),
        ("suspended with an input wait", after_outcome(one("read", ExecutorKind::Tool, reads()), input)),
        ("in doubt with its wait (run)", lost(one("write", ExecutorKind::Tool, writes()))),
        ("in doubt with its wait (apply)", lost(applying())),
    ]);
    stages.extend(ended());
    stages
}

/// The outcome comes while the worker is shutting down, so that nothing begins.
fn draining(mut world: World, outcome: Outcome) -> World {
    world.now.draining = true;
    let mut world = after_outcome(world, outcome);
    world.now.draining = false;
    world
}

fn ended() -> Vec<Named> {
    let write = || one("write", ExecutorKind::Tool, writes());
    let mut rejected = one("test/ask", ExecutorKind::Tool, writes());
    let binding = rejected.state.waits[&1].binding;
    let no = rejected.reply(1, verdicts("1.0", Decision::Reject { reason: "No.".into() }, binding));
    let mut left = lost(write());
    let leave = left.reply(1, Answer::Leave { reason: String::new() });
    let cancelled = Signal::Cancel { actions: Some(vec![id("1.0")]), reason: String::new() };
    vec![
        ("ended completed", after_outcome(write(), done())),
        ("ended failed", after_outcome(write(), failed())),
        ("ended blocked (rejected)", rejected.after(no)),
        ("ended blocked (in doubt)", left.after(leave)),
        ("ended cancelled", after_outcome(write().signalled(cancelled), Outcome::Stopped)),
    ]
}

/// A run in every state that it can be in. The action, if there is one, is 1.0.
pub(crate) fn runs() -> Vec<Named> {
    let queued = World::new(run_spec(Mode::Plain));
    let plain = |tools: &[&str]| {
        let world = World::plain();
        let calls = world.calls(tools);
        world.after(calls)
    };
    let answered = {
        let world = World::plain();
        let says = world.says("Done.");
        world.after(says)
    };
    let failed = {
        let world = World::plain();
        let fails = world.fails(None);
        world.after(fails)
    };
    let after_fault = {
        let world = World::plain();
        let fails = world.fails(Some(500));
        world.after(fails)
    };
    let cancelled = World::plain().signalled(cancel());
    let mut stopping = plain(&["write", "write"]);
    stopping.now.active_ms = 0;
    let stopping = {
        let mut spec = run_spec(Mode::Plain);
        spec.budgets.insert("wall_clock_seconds".into(), 1);
        let world = World::new(spec).claimed();
        let calls = world.calls(&["write", "write"]);
        let mut world = world.after(calls);
        world.now.active_ms = 2_000;
        world.after(Input::Tick)
    };
    vec![
        ("queued", queued),
        ("running, the model is asked", World::plain()),
        ("running, the model is asked again later", after_fault),
        ("running, a call is made", plain(&["write"])),
        ("running, with a queued message", plain(&["write"]).signalled(message(MessageMode::Enqueue, false))),
        ("waiting", plain(&["ask"])),
        ("cancelling", plain(&["write"]).signalled(cancel())),
        ("stopping", stopping),
        ("ended completed", answered),
        ("ended failed", failed),
        ("ended cancelled", cancelled),
    ]
}
