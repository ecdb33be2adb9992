//! Runs whose model declares graphs: programs, pipelines, delegation, timers, signals, questions.

use provost_contract::action::OnFailure;
use provost_engine::Verdict;
use provost_engine::event::{Choice, ExecutorKind, MessageMode, Step};
use provost_engine::{ActionId, Usage};
use serde_json::{Value, json};

use super::people::{Person, When};
use super::script::{Does, Scenario};
use super::signals::{cancel, message};
use super::turns::{Turn, after, calls, says, step, tool};

/// A change set that is allowed, and one that is asked about.
const ALLOWED: Does = Does::Proposes(&[("beds.txt", Verdict::Allow), ("paths.txt", Verdict::Allow)]);
const ASKED: Does = Does::Proposes(&[("beds.txt", Verdict::Allow), ("gate.txt", Verdict::Ask)]);
const DENIED: Does = Does::Proposes(&[("beds.txt", Verdict::Allow), ("keys.txt", Verdict::Deny)]);

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = tools();
    scenarios.extend(programs());
    scenarios.extend(waiting());
    scenarios.extend(children());
    scenarios
}

pub(super) fn reads() -> Value {
    json!({ "effects": ["read"] })
}

pub(super) fn writes() -> Value {
    json!({ "effects": ["write"] })
}

pub(super) fn keyed() -> Value {
    json!({ "effects": ["write"], "idempotency": "keyed", "takes_key": true })
}

fn answer() -> Turn {
    Turn::Answers("Done.")
}

fn tools() -> Vec<Scenario> {
    let retried = || {
        let mut step = tool("garden/note", "b", keyed());
        step.spec.on_failure = OnFailure::Retry.into();
        after(step, [0])
    };
    let undecided = || {
        let mut step = tool("garden/water", "a", writes());
        step.spec.on_failure = OnFailure::AskModel.into();
        step
    };
    let pipeline = || {
        let mut made = step("prepare", ExecutorKind::Pipeline);
        made.spec.steps =
            vec![tool("garden/look", "p1", reads()), after(tool("garden/water", "p2", writes()), [0])];
        made
    };
    vec![
        Scenario::graph(
            "graph",
            [
                Turn::Acts(vec![
                    tool("garden/look", "a", reads()),
                    retried(),
                    after(tool("garden/water", "c", writes()), [0]),
                    after(tool("garden/smell", "d", reads()), [1, 2]),
                ]),
                answer(),
            ],
        )
        .does("b", Does::FailsFirst),
        Scenario::graph(
            "graph-decision",
            [
                Turn::Acts(vec![undecided(), after(tool("garden/look", "b", reads()), [0])]),
                Turn::Decides(vec![(ActionId { declaration: 1, index: 0 }, Choice::Skip)]),
                answer(),
            ],
        )
        .does("a", Does::Fails),
        Scenario::graph(
            "garbled",
            [Turn::Garbles, Turn::Acts(vec![tool("garden/water", "a", writes())]), answer()],
        ),
        Scenario::graph(
            "pipeline",
            [Turn::Acts(vec![pipeline(), after(tool("garden/note", "b", keyed()), [0])]), answer()],
        ),
        Scenario::graph(
            "steered",
            [
                Turn::Acts(vec![tool("garden/water", "a", writes())]),
                Turn::Acts(vec![tool("garden/note", "b", keyed())]),
                answer(),
            ],
        )
        .letter(When::During("a"), message("And note it.", MessageMode::Steer))
        .loosely(),
    ]
}

fn programs() -> Vec<Scenario> {
    let program = || {
        let mut made = step("garden/paint", ExecutorKind::Program);
        let facts = json!({ "effects": ["write"], "idempotency": "transactional" });
        made.spec.facts = serde_json::from_value(facts).unwrap_or_default();
        made
    };
    let with = move |name, does| {
        let turns = [Turn::Acts(vec![program(), after(tool("garden/look", "b", reads()), [0])]), answer()];
        Scenario::graph(name, turns).does("garden/paint", does)
    };
    vec![
        with("program", ALLOWED),
        with("program-asked", ASKED),
        with("program-rejected", ASKED).person("garden/paint", Person::Reject),
        with("program-denied", DENIED),
        // What was begun to be applied is rolled forward, also after a cancel.
        with("program-cancelled-midway", ALLOWED).letter(When::Midway, cancel()).ends("cancelled").loosely(),
        with("program-cancelled", ASKED)
            .person("garden/paint", Person::Silent)
            .letter(When::Parked, cancel())
            .ends("cancelled"),
    ]
}

fn waiting() -> Vec<Scenario> {
    let timer = || {
        let mut made = step("wait", ExecutorKind::Timer);
        made.spec.wait_ms = Some(20_000);
        made
    };
    let rain = || {
        let mut made = step("rain", ExecutorKind::Signal);
        made.spec.executor.target = "rain".to_owned();
        made
    };
    let acts = |steps: Vec<Step>| [Turn::Acts(steps), answer()];
    vec![
        Scenario::graph("timer", acts(vec![timer(), after(tool("garden/water", "b", writes()), [0])])).slow(),
        Scenario::graph("signal", acts(vec![rain(), after(tool("garden/note", "b", keyed()), [0])])),
        Scenario::graph(
            "question",
            acts(vec![step("ask", ExecutorKind::Human), after(tool("garden/note", "b", keyed()), [0])]),
        ),
    ]
}

fn children() -> Vec<Scenario> {
    let delegated = |label: &str| {
        let mut made: Step = step("delegate", ExecutorKind::Agent);
        made.spec.label = label.to_owned();
        made.spec.executor.target = super::super::agents::CHILD.to_owned();
        made.spec.prompt = Some("Look after the beds.".to_owned());
        made.spec.share = Usage::of("tokens", 100);
        made
    };
    let parent = |steps: Vec<Step>| [Turn::Acts(steps), answer()];
    vec![
        Scenario::graph("child", parent(vec![delegated("a"), after(tool("garden/note", "b", keyed()), [0])]))
            .turns("child", [Turn::Acts(vec![tool("garden/water", "w", writes())]), answer()]),
        Scenario::graph("two-children", parent(vec![delegated("a"), delegated("b")]))
            .turns("child", [Turn::Acts(vec![tool("garden/note", "w", keyed())]), answer()]),
        Scenario::graph("child-asks", parent(vec![delegated("a")]))
            .asks_about(&["garden/water"], "preview")
            .turns("child", [Turn::Acts(vec![tool("garden/water", "w", writes())]), answer()]),
        Scenario::graph("child-cancelled", parent(vec![delegated("a")]))
            .asks_about(&["garden/water"], "preview")
            .person("garden/water", Person::Silent)
            .letter(When::Parked, cancel())
            .turns("child", [Turn::Acts(vec![tool("garden/water", "w", writes())]), answer()])
            .ends("cancelled")
            // Only the virtual clock lets the child always begin after the cancel.
            .slow()
            .loosely(),
        Scenario::new("plain-parallel-writers", [calls([("a", "garden/paint", 1)]), says("Painted.")])
            .forgets(),
    ]
}
