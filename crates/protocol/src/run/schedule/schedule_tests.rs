//! Given a graph, when events happen, then this may start and these are the statuses.

use std::sync::Arc;

use provost_contract::Action;
use provost_contract::action::{Access, Idempotency};
use provost_contract::policies::{Effective, Policies};
use serde_json::{Value, json};

use super::{
    CheckedGraph, Ending, Event, Goal, GraphStatus, Illegal, Limits, Rules, Schedule, ScheduleFault,
    ScheduledAction, Wait,
};
use crate::{Choice, Strategy};

const DONE: Ending = Ending::Completed(Goal::Reached);
const NOT_YET: Ending = Ending::Completed(Goal::NotReached);

fn actions(wires: &Value) -> Vec<Action> {
    wires.as_array().unwrap().iter().map(|wire| Action::parse(wire).unwrap()).collect()
}

/// The rules of an action: what it declares itself, on top of the defaults.
fn scheduled(actions: &[Action]) -> Vec<ScheduledAction<'_>> {
    let rules = |action: &Action| Rules::from(&Effective::from(action.policies.clone()));
    actions.iter().map(|action| ScheduledAction { action, rules: rules(action) }).collect()
}

fn build(wires: &Value) -> Result<CheckedGraph, Vec<ScheduleFault>> {
    CheckedGraph::build(&scheduled(&actions(wires)), |id| id.as_str() == "before")
}

struct Run(Schedule);

fn given(wires: Value) -> Run {
    bounded(wires, 8)
}

fn bounded(wires: Value, max_parallel: usize) -> Run {
    let limits = Limits::new(max_parallel, Strategy::Dag).unwrap();
    Run(Schedule::new(Arc::new(build(&wires).unwrap()), limits))
}

impl Run {
    fn at(&self, id: &str) -> usize {
        self.0.graph().position(id).unwrap()
    }

    fn when(mut self, event: impl Fn(usize) -> Event, id: &str) -> Self {
        self.0.apply(event(self.at(id))).unwrap();
        self
    }

    fn start(self, id: &str) -> Self {
        self.when(Event::Started, id)
    }

    fn end(self, id: &str, ending: Ending) -> Self {
        self.when(|at| Event::Ended(at, ending), id)
    }

    fn run(self, id: &str, ending: Ending) -> Self {
        self.start(id).end(id, ending)
    }

    fn decide(self, id: &str, choice: Choice) -> Self {
        self.when(|at| Event::Decided(at, choice), id)
    }

    fn cancel(mut self) -> Self {
        self.0.apply(Event::CancelAsked).unwrap();
        self
    }

    fn ready(self, expected: &[&str]) -> Self {
        let ready: Vec<&str> =
            self.0.ready().map(|start| self.0.graph().id(start.at).unwrap().as_str()).collect();
        assert_eq!(ready, expected);
        self
    }

    /// Statuses, and reasons where there is one, as `blocked:in_doubt`.
    fn then(self, expected: &[(&str, &str)]) -> Self {
        for (id, expected) in expected {
            let at = self.at(id);
            let status: &str = self.0.status(at).unwrap().into();
            let found = match self.0.reason(at) {
                Some(reason) => format!("{status}:{}", <&str>::from(reason)),
                None => status.to_owned(),
            };
            assert_eq!(found, *expected, "{id}");
        }
        self
    }

    fn refused(mut self, event: impl Fn(usize) -> Event, id: &str) -> Self {
        let before = format!("{:?}", self.0);
        assert!(self.0.apply(event(self.at(id))).is_err());
        assert_eq!(format!("{:?}", self.0), before, "a refused event changes nothing");
        self
    }
}

fn pair() -> Value {
    json!([{ "id": "a" }, { "id": "b", "depends_on": ["a"] }])
}

fn one(policies: Value) -> Run {
    given(json!([
        { "id": "a", "failure_policy": "retry", "policies": policies },
        { "id": "b", "depends_on": ["a"] },
    ]))
}

#[test]
fn only_what_may_be_repeated_is_tried_again() {
    one(json!({ "idempotency": "keyed" })).run("a", Ending::Failed).then(&[("a", "pending")]).ready(&["a"]);
    let run = one(json!({})).run("a", Ending::Failed);
    let run = run.then(&[("a", "failed"), ("b", "blocked:dependency_not_completed")]).ready(&[]);
    assert_eq!(run.0.undecided().collect::<Vec<_>>(), [0], "somebody is asked instead");
}

#[test]
fn a_timeout_is_in_doubt_unless_the_action_may_be_repeated() {
    one(json!({ "idempotency": "pure" })).run("a", Ending::TimedOut).then(&[("a", "pending")]);
    let run = one(json!({})).run("a", Ending::TimedOut).then(&[("a", "blocked:in_doubt")]);
    assert_eq!(run.0.graph_status(), GraphStatus::Blocked, "in doubt is not failed");
}

#[test]
fn after_a_crash_what_may_be_repeated_runs_again_a_bounded_number_of_times() {
    let run = one(json!({ "idempotency": "keyed" })).run("a", Ending::Interrupted).ready(&["a"]);
    run.run("a", Ending::Interrupted).ready(&["a"]).run("a", Ending::Interrupted).then(&[("a", "failed")]);
    one(json!({})).run("a", Ending::Interrupted).then(&[("a", "blocked:in_doubt")]).ready(&[]);
}

#[test]
fn the_runtime_may_allow_fewer_retries_than_were_asked_for() {
    let tight = json!({ "idempotency": "pure", "budget_policy": { "max_retries": 0 } });
    one(tight).run("a", Ending::Failed).then(&[("a", "failed")]);
    let loose = json!({ "idempotency": "pure", "budget_policy": { "max_retries": 9 } });
    one(loose).run("a", Ending::Failed).run("a", Ending::Failed).then(&[("a", "failed")]);
}

#[test]
fn started_is_not_finished_and_a_wait_unlocks_nothing() {
    let run = given(pair()).start("a").ready(&[]).when(|at| Event::Parked(at, Wait::Work), "a");
    run.ready(&[]).then(&[("a", "waiting"), ("b", "pending")]).end("a", DONE).ready(&["b"]);
}

#[test]
fn a_wait_gives_its_place_to_others() {
    let run = bounded(json!([{ "id": "a" }, { "id": "b" }]), 1).start("a").ready(&[]);
    run.when(|at| Event::Parked(at, Wait::Work), "a").ready(&["b"]);
}

#[test]
fn a_gate_holds_an_action_before_it_begins() {
    let run =
        given(pair()).when(|at| Event::Parked(at, Wait::Gate), "a").then(&[("a", "waiting")]).ready(&[]);
    run.refused(|at| Event::Ended(at, DONE), "a").when(Event::Resumed, "a").ready(&["a"]);
    let run = given(pair()).when(|at| Event::Parked(at, Wait::Gate), "a").end("a", Ending::Denied);
    run.then(&[("a", "blocked:denied"), ("b", "blocked:dependency_not_completed")]);
}

#[test]
fn an_abort_lets_end_what_runs_and_what_is_between_two_attempts() {
    let run = given(json!([
        { "id": "a", "failure_policy": "abort" },
        { "id": "b" },
        { "id": "c", "failure_policy": "retry", "policies": { "idempotency": "pure" } },
        { "id": "d" },
    ]));
    let run = run.start("a").start("b").run("c", Ending::Failed).end("a", Ending::Failed);
    let run = run.then(&[("d", "canceled:aborted"), ("b", "running"), ("c", "pending")]).ready(&["c"]);
    let run = run.run("c", DONE).end("b", DONE).then(&[("b", "completed"), ("c", "completed")]);
    assert_eq!(run.0.graph_status(), GraphStatus::Failed);
}

fn branches() -> Run {
    given(json!([
        { "id": "test" },
        { "id": "ship", "depends_on": ["test"], "when": { "action": "test", "status": "completed" } },
        { "id": "fix", "depends_on": ["test"], "when": { "action": "test", "status": "failed" } },
        { "id": "check_fix", "depends_on": ["fix"] },
        { "id": "report", "depends_on": ["ship", "check_fix"] },
    ]))
}

#[test]
fn a_branch_not_taken_is_left_out_and_the_other_one_carries_on() {
    let run = branches().run("test", DONE).ready(&["ship"]);
    let left_out = "canceled:condition_not_met";
    let run = run.then(&[("fix", left_out), ("check_fix", left_out), ("report", "pending")]);
    let run = run.run("ship", DONE).run("report", DONE);
    assert_eq!(run.0.graph_status(), GraphStatus::Completed, "a branch left out is no fault");
}

#[test]
fn a_condition_on_failure_runs_after_a_failure_and_not_before() {
    let run = branches().start("test").ready(&[]).end("test", Ending::Failed).ready(&["fix"]);
    let run = run.then(&[("ship", "canceled:condition_not_met")]);
    run.run("fix", DONE).run("check_fix", DONE).ready(&["report"]);
}

#[test]
fn a_blocked_dependency_outweighs_a_condition_in_either_order() {
    let wires = json!([
        { "id": "a" },
        { "id": "b" },
        { "id": "c", "depends_on": ["a", "b"], "when": { "action": "a", "status": "failed" } },
    ]);
    let blocked = [("c", "blocked:dependency_not_completed")];
    given(wires.clone()).run("a", DONE).then(&[("c", "pending")]).run("b", Ending::Failed).then(&blocked);
    given(wires).run("b", Ending::Failed).run("a", DONE).then(&blocked);
}

#[test]
fn conditions_that_contradict_each_other_never_hold() {
    let when = json!([{ "action": "a", "status": "completed" }, { "action": "a", "status": "failed" }]);
    let run = given(json!([{ "id": "a" }, { "id": "b", "depends_on": ["a"], "when": when }]));
    run.run("a", DONE).then(&[("b", "canceled:condition_not_met")]);
}

#[test]
fn a_condition_must_look_at_a_dependency() {
    let wires = |depends_on: Value| json!([{ "id": "a" }, { "id": "b", "depends_on": depends_on, "when": { "action": "a", "status": "failed" } }]);
    assert!(build(&wires(json!(["a"]))).is_ok());
    assert!(matches!(
        build(&wires(json!([]))).unwrap_err().as_slice(),
        [ScheduleFault::LooseCondition { at: 1, .. }]
    ));
}

fn looped(until: Option<Value>) -> Run {
    let mut repeat = json!({ "max": 3 });
    if let Some(until) = until {
        repeat["until"] = until;
    }
    given(json!([{ "id": "a", "repeat": repeat }, { "id": "b", "depends_on": ["a"] }]))
}

#[test]
fn a_loop_ends_when_its_goal_is_reached() {
    let goal = json!({ "field": "/passed", "equals": true });
    let run = looped(Some(goal.clone())).run("a", NOT_YET).then(&[("a", "pending")]).ready(&["a"]);
    assert_eq!(run.0.ready().next().map(|start| (start.attempt, start.round)), Some((2, 2)));
    run.run("a", DONE).then(&[("a", "completed")]).ready(&["b"]);
    let repeat = actions(&json!([{ "id": "a", "repeat": { "max": 3, "until": goal } }])).remove(0).repeat;
    assert_eq!(Goal::of(repeat.as_ref(), &json!({ "passed": true })), Goal::Reached);
    assert_eq!(Goal::of(repeat.as_ref(), &json!({ "passed": "true" })), Goal::NotReached);
    assert_eq!(Goal::of(None, &Value::Null), Goal::Reached);
}

#[test]
fn a_loop_that_never_reaches_its_goal_fails_and_one_without_a_goal_completes() {
    let run = looped(Some(json!({ "field": "/passed", "equals": true })));
    let run = run.run("a", NOT_YET).run("a", NOT_YET).run("a", NOT_YET);
    run.then(&[("a", "failed:rounds_exhausted"), ("b", "blocked:dependency_not_completed")]);
    let run = looped(None).run("a", DONE).run("a", DONE).ready(&["a"]).run("a", DONE);
    run.then(&[("a", "completed")]).ready(&["b"]);
}

fn at_one_file(first: &str, second: &str, resolution: &str) -> Value {
    let one = |id: &str, access: &str| {
        json!({
            "id": id,
            "resources": [{ "ref": "file:a", "access": access }],
            "policies": { "conflict_resolution": resolution },
        })
    };
    json!([one("a", first), one("b", second)])
}

#[test]
fn writers_go_one_after_the_other_and_readers_together() {
    let writers = given(at_one_file("write", "write", "serialise")).ready(&["a"]).start("a").ready(&[]);
    writers.end("a", DONE).ready(&["b"]);
    given(at_one_file("read", "write", "serialise")).ready(&["a"]).run("a", DONE).ready(&["b"]);
    given(at_one_file("read", "read", "serialise")).ready(&["a", "b"]);
    given(at_one_file("write", "write", "last_writer")).ready(&["a", "b"]);
}

#[test]
fn a_reader_declared_behind_a_waiting_writer_does_not_overtake_it() {
    let run = given(json!([
        { "id": "a", "resources": [{ "ref": "f", "access": "read" }] },
        { "id": "b", "resources": [{ "ref": "f", "access": "write" }] },
        { "id": "c", "resources": [{ "ref": "f", "access": "read" }] },
    ]));
    run.ready(&["a"]).run("a", DONE).ready(&["b"]).run("b", DONE).ready(&["c"]);
}

#[test]
fn delegated_work_keeps_its_resources_and_a_gate_does_not() {
    let wires = at_one_file("write", "write", "serialise");
    let run = given(wires.clone()).start("a").when(|at| Event::Parked(at, Wait::Work), "a").ready(&[]);
    run.end("a", DONE).ready(&["b"]);
    given(wires).when(|at| Event::Parked(at, Wait::Gate), "a").ready(&["b"]);
}

#[test]
fn where_conflicts_are_refused_unordered_writers_refuse_the_plan() {
    let mut wires = at_one_file("write", "write", "refuse");
    let faults = build(&wires).unwrap_err();
    assert!(
        matches!(faults.as_slice(), [ScheduleFault::ResourceConflict { at: 1, resource, .. }] if resource == "file:a")
    );
    wires[1]["depends_on"] = json!(["a"]);
    assert!(build(&wires).is_ok(), "an order was given");
    assert!(build(&at_one_file("read", "read", "refuse")).is_ok(), "nobody writes");
}

#[test]
fn a_cancel_treats_what_runs_as_its_policy_says() {
    for (policies, status) in [
        (json!({}), "running"),
        (json!({ "cancellation_policy": "stop" }), "canceled:canceled_by_user"),
        (json!({ "cancellation_policy": "stop_and_mark_in_doubt" }), "blocked:in_doubt"),
        (
            json!({ "cancellation_policy": "stop_and_mark_in_doubt", "idempotency": "pure" }),
            "canceled:canceled_by_user",
        ),
    ] {
        let run = one(policies).start("a").cancel().ready(&[]);
        let run = run.then(&[("a", status), ("b", "canceled:canceled_by_user")]);
        assert_eq!(run.0.graph_status(), GraphStatus::Canceled);
    }
    let run = one(json!({})).start("a").cancel().end("a", DONE).then(&[("a", "completed")]);
    assert!(run.0.is_over());
}

#[test]
fn a_decision_reopens_what_was_blocked_or_goes_on_without_it() {
    let failed = || given(pair()).run("a", Ending::Failed).then(&[("b", "blocked:dependency_not_completed")]);
    failed().decide("a", Choice::Retry).ready(&["a"]).then(&[("b", "pending")]).run("a", DONE).ready(&["b"]);
    failed().decide("a", Choice::Continue).then(&[("a", "failed")]).ready(&["b"]);
    failed()
        .decide("a", Choice::Skip)
        .then(&[("a", "canceled:skipped"), ("b", "canceled:condition_not_met")]);
    failed().decide("a", Choice::Abort).ready(&[]);
}

#[test]
fn a_decision_needs_something_to_decide() {
    let decide = |at| Event::Decided(at, Choice::Retry);
    given(pair()).start("a").refused(decide, "a");
    given(pair()).run("a", Ending::Failed).refused(decide, "b").decide("a", Choice::Retry);
    given(pair()).run("a", Ending::Failed).cancel().refused(decide, "a");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let run = given(pair()).refused(Event::Started, "b").refused(|at| Event::Ended(at, DONE), "a");
    let run =
        run.run("a", DONE).refused(|at| Event::Ended(at, Ending::Failed), "a").refused(Event::Started, "a");
    let mut run = run.refused(Event::Resumed, "b");
    assert_eq!(run.0.apply(Event::Started(9)), Err(Illegal::Unknown { at: 9 }));
    bounded(json!([{ "id": "a" }, { "id": "b" }]), 1).start("a").refused(Event::Started, "b");
}

#[test]
fn dependencies_of_earlier_runs_count_as_completed() {
    given(json!([{ "id": "a", "depends_on": ["before"] }])).ready(&["a"]);
    let when = |status: &str| {
        given(
            json!([{ "id": "a", "depends_on": ["before"], "when": { "action": "before", "status": status } }]),
        )
    };
    when("completed").ready(&["a"]);
    when("failed").then(&[("a", "canceled:condition_not_met")]);
    assert!(build(&json!([{ "id": "a", "depends_on": ["never"] }])).is_err());
}

#[test]
fn native_calls_are_a_plan_without_edges() {
    let calls: Vec<Value> = (0..5).map(|number| json!({ "id": format!("call_{number}") })).collect();
    let run =
        bounded(json!(calls), 2).ready(&["call_0", "call_1"]).start("call_0").start("call_1").ready(&[]);
    run.end("call_1", Ending::Failed).ready(&["call_2"]).end("call_0", DONE).ready(&["call_2", "call_3"]);
}

#[test]
fn a_blocked_action_names_the_dependency_that_blocks_it() {
    let run = given(json!([{ "id": "a" }, { "id": "b" }, { "id": "c", "depends_on": ["a", "b"] }]));
    let run = run.run("b", Ending::Denied);
    assert_eq!(run.0.blocked_by(2).map(|id| id.as_str()), Some("b"));
    assert_eq!(run.0.blocked_by(0), None);
}

#[test]
fn rules_come_from_the_effective_policies() {
    let rules = Rules::from(&Effective::from(
        Policies::parse(&json!({ "idempotency": "pure", "budget_policy": { "max_retries": 1 } })).unwrap(),
    ));
    assert_eq!((rules.idempotency, rules.retries_max), (Idempotency::Pure, Some(1)));
    assert_eq!(Rules::default().idempotency, Idempotency::None, "silence is never harmless");
}

#[test]
fn native_calls_read_together_write_alone_and_go_on_after_a_failure() {
    let graph = CheckedGraph::of_calls(&[Access::Read, Access::Read, Access::Write, Access::Read]);
    assert_eq!((graph.len(), graph.position("call_5")), (4, None));
    let run = Run(Schedule::new(Arc::new(graph), Limits::new(8, Strategy::Dag).unwrap()));
    run.ready(&["call_1", "call_2"])
        .run("call_1", Ending::Failed)
        .run("call_2", DONE)
        .ready(&["call_3"])
        .run("call_3", DONE)
        .ready(&["call_4"]);
}
