//! Runs whose model declares graphs with data flow: references, fan-outs, loops, retries, approvals in the middle,
//! cancels of a part, and work that does not outlive an interruption.

use provost_contract::action::{OnFailure, Repeat};
use provost_contract::json::{self, Object};
use provost_engine::event::{Choice, Each, ExecutorKind, Signal, Step};
use provost_engine::{ActionId, Args};
use serde_json::json;

use super::graphs::{keyed, reads, writes};
use super::people::{Person, When};
use super::script::{Does, Scenario};
use super::signals::cancel;
use super::turns::{Turn, after, step, tool};

pub(super) fn scenarios() -> Vec<Scenario> {
    [flows(), loops(), approvals(), ends()].into_iter().flatten().collect()
}

fn graph(name: &'static str, steps: Vec<Step>) -> Scenario {
    Scenario::graph(name, [Turn::Acts(steps), Turn::Answers("Done.")])
}

/// A step whose argument is a part of another's result.
fn given(mut step: Step, reference: &str) -> Step {
    let input: Object = json::into_object(json!({ "of": { "$ref": reference } }));
    step.spec.args = Args::open(input);
    step.spec.resolves = true;
    step
}

/// A step that is done once for each bed that `a` found.
fn for_each(step: Step, max: u32) -> Step {
    let mut step = given(step, "item");
    step.spec.each = Some(Each { list: "action:a.output#/beds".to_owned(), max });
    after(step, [0])
}

fn repeated(mut step: Step, max: u32) -> Step {
    step.spec.repeat = Repeat::parse(&json!({ "max": max })).ok();
    step
}

fn failing(mut step: Step, on_failure: OnFailure) -> Step {
    step.spec.on_failure = on_failure.into();
    step
}

fn ephemeral(mut step: Step) -> Step {
    step.spec.persist = false;
    step
}

fn look() -> Step {
    tool("garden/look", "a", reads())
}

fn flows() -> Vec<Scenario> {
    let merge = || {
        let mut made = after(step("merge", ExecutorKind::Runtime), [0, 1]);
        made.spec.label = "m".to_owned();
        made.spec.facts =
            serde_json::from_value(json!({ "effects": ["none"], "idempotency": "pure" })).unwrap_or_default();
        made
    };
    vec![
        graph(
            "flow",
            vec![look(), given(after(tool("garden/water", "b", writes()), [0]), "action:a.output#/beds/1")],
        ),
        graph(
            "flow-chain",
            vec![
                look(),
                given(after(tool("garden/note", "b", keyed()), [0]), "action:a.output#/call"),
                given(after(tool("garden/water", "c", writes()), [1]), "action:b.output#/call"),
            ],
        ),
        graph(
            "flow-missing",
            vec![look(), given(after(tool("garden/water", "b", writes()), [0]), "action:a.output#/trees")],
        ),
        graph(
            "flow-merge",
            vec![
                look(),
                tool("garden/smell", "b", reads()),
                merge(),
                after(tool("garden/note", "d", keyed()), [2]),
            ],
        ),
        graph("fan-out", vec![look(), for_each(tool("garden/note", "b", keyed()), 3)]),
        graph(
            "fan-out-writes",
            vec![
                look(),
                for_each(tool("garden/water", "b", writes()), 3),
                after(tool("garden/note", "c", keyed()), [1]),
            ],
        ),
        graph("fan-out-too-many", vec![look(), for_each(tool("garden/water", "b", writes()), 2)]),
    ]
}

fn loops() -> Vec<Scenario> {
    vec![
        // A person who says that it happened speaks of the whole action: no round follows.
        graph(
            "loop",
            vec![
                repeated(tool("garden/note", "a", keyed()), 3),
                after(tool("garden/water", "b", writes()), [0]),
            ],
        )
        .loosely(),
        graph("loop-writes", vec![repeated(tool("garden/water", "a", writes()), 2)]).loosely(),
        graph(
            "retried",
            vec![
                failing(tool("garden/note", "a", keyed()), OnFailure::Retry),
                after(tool("garden/water", "b", writes()), [0]),
            ],
        )
        .does("a", Does::FailsFirst),
        graph(
            "aborted",
            vec![
                failing(tool("garden/smell", "a", reads()), OnFailure::Abort),
                after(tool("garden/water", "b", writes()), [0]),
                tool("garden/note", "c", keyed()),
            ],
        )
        .does("a", Does::Fails)
        // Whether `c` begins before `a` has failed is a matter of time.
        .loosely(),
        graph(
            "tolerated",
            vec![
                failing(tool("garden/smell", "a", reads()), OnFailure::Continue),
                after(tool("garden/water", "b", writes()), [0]),
            ],
        )
        .does("a", Does::Fails),
    ]
}

fn approvals() -> Vec<Scenario> {
    vec![
        graph(
            "graph-asked",
            vec![
                look(),
                given(after(tool("garden/water", "b", writes()), [0]), "action:a.output#/beds/0"),
                after(tool("garden/smell", "c", reads()), [0]),
            ],
        )
        .asks_about(&["garden/water"], "preview"),
        graph(
            "graph-rejected",
            vec![
                tool("garden/water", "a", writes()),
                after(tool("garden/note", "b", keyed()), [0]),
                tool("garden/look", "c", reads()),
            ],
        )
        .asks_about(&["garden/water"], "preview")
        .person("garden/water", Person::Reject),
        graph("fan-out-asked", vec![look(), for_each(tool("garden/water", "b", writes()), 3)])
            .asks_about(&["garden/water"], "preview"),
    ]
}

fn ends() -> Vec<Scenario> {
    let part = || Signal::Cancel {
        actions: Some(vec![ActionId { declaration: 1, index: 1 }]),
        reason: String::new(),
    };
    vec![
        graph("graph-cancelled", vec![look(), for_each(tool("garden/water", "b", writes()), 3)])
            .asks_about(&["garden/water"], "preview")
            .person("garden/water", Person::Silent)
            .letter(When::Parked, cancel())
            .ends("cancelled"),
        graph(
            "part-cancelled",
            vec![look(), tool("garden/water", "b", writes()), after(tool("garden/note", "c", keyed()), [0])],
        )
        .asks_about(&["garden/water"], "preview")
        .person("garden/water", Person::Silent)
        .letter(When::Parked, part())
        .loosely(),
        graph(
            "ephemeral",
            vec![
                ephemeral(look()),
                ephemeral(after(tool("garden/note", "b", keyed()), [0])),
                after(tool("garden/smell", "c", reads()), [0]),
            ],
        )
        .loosely(),
        graph(
            "ephemeral-at-rest",
            vec![
                ephemeral(tool("garden/water", "a", writes())),
                ephemeral(after(tool("garden/note", "b", keyed()), [0])),
            ],
        )
        .asks_about(&["garden/water"], "preview")
        .loosely(),
        Scenario::graph(
            "fan-out-decided",
            [
                Turn::Acts(vec![
                    look(),
                    failing(after(tool("garden/water", "b", writes()), [0]), OnFailure::AskModel),
                    after(tool("garden/note", "c", keyed()), [1]),
                ]),
                Turn::Decides(vec![(ActionId { declaration: 1, index: 1 }, Choice::Accept)]),
                Turn::Answers("Done."),
            ],
        )
        .does("b", Does::Fails),
    ]
}
