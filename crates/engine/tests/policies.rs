//! The policies of a declaration, as the engine carries them out. Each refusal stands beside the same action without
//! its policy, which runs.

use provost_contract::action::FailurePolicy;
use provost_engine::event::*;
use provost_engine::view::graph_status;
use provost_protocol::transcript::GraphStatus;
use serde_json::{Value, json};

use crate::world::{World, cancel, done, failed, given, id, step, verdicts};

/// An action with policies as its record explains them.
fn governed(facts: Value, policies: &[(&str, Value)]) -> Step {
    let mut step = step("work", ExecutorKind::Tool, facts);
    let explained = policies
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!({ "value": value, "decided_by": "envelope" })));
    step.spec.policies = Value::Object(explained.collect());
    step
}

fn run(steps: Vec<Step>) -> World {
    World::executes(Limits::default(), steps).claimed()
}

fn pure() -> Value {
    json!({ "effects": ["none"], "idempotency": "pure" })
}

fn reason(world: &World, action: &str) -> String {
    let end = world.state.action(id(action)).unwrap().end.clone().unwrap();
    format!("{:?} {}", end.status, end.reason)
}

/// What an action with these effects and policies comes to at once: it runs, asks, or is denied by a rule.
/// The policies that hold, what is declared, and what follows.
type Row<'t> = (&'t [&'t str], &'t [(&'t str, Value)], &'t str);

#[test]
fn permissions_allowed_effects_and_gates_decide_before_anything_starts() {
    let table: &[Row<'_>] = &[
        (&["write"], &[], "runs"),
        (&["write"], &[("permission_policy", json!("allow"))], "runs"),
        (&["write"], &[("permission_policy", json!("ask"))], "asks"),
        (&["write"], &[("permission_policy", json!("deny"))], "denied by permission_policy"),
        (&["read"], &[("side_effects", json!(["read"]))], "runs"),
        (&["write"], &[("side_effects", json!(["read"]))], "denied by side_effects"),
        (&["read", "send"], &[("side_effects", json!(["read"]))], "denied by side_effects"),
        (&["write"], &[("approval_gates", json!(["delete"]))], "runs"),
        (&["delete"], &[("approval_gates", json!(["delete"]))], "asks"),
        (
            &["delete"],
            &[("approval_gates", json!(["delete"])), ("side_effects", json!(["read"]))],
            "denied by side_effects",
        ),
        (
            &["delete"],
            &[("approval_gates", json!(["delete"])), ("permission_policy", json!("deny"))],
            "denied by permission_policy",
        ),
    ];
    for (effects, policies, expected) in table {
        let world = run(vec![governed(json!({ "effects": effects }), policies)]);
        let action = world.state.action(id("1.0")).unwrap();
        let found = match (&action.end, action.wait) {
            (Some(end), _) => format!("{} by {}", end.reason, world.state.ruling(action).rule),
            (None, Some(_)) => "asks".to_owned(),
            (None, None) => "runs".to_owned(),
        };
        assert_eq!(found, *expected, "{effects:?} {policies:?}");
    }
}

/// A tool that says nothing of its effects may have any of them.
#[test]
fn unknown_effects_count_as_all() {
    let unknown = json!({});
    let denied = run(vec![governed(unknown.clone(), &[("side_effects", json!(["read", "write"]))])]);
    assert_eq!(reason(&denied, "1.0"), "Blocked denied");
    let gated = run(vec![governed(unknown, &[("approval_gates", json!(["purchase"]))])]);
    assert_eq!(gated.state.waits.len(), 1);
}

#[test]
fn a_refused_action_blocks_what_depends_on_it_and_an_approved_one_runs() {
    let steps = || {
        let mut behind = step("work", ExecutorKind::Tool, pure());
        behind.depends_on = vec![0];
        vec![governed(pure(), &[("permission_policy", json!("ask"))]), behind]
    };
    let answered = |decision: Decision| {
        let mut world = run(steps());
        let binding = world.state.waits[&1].binding;
        let answer = world.reply(1, verdicts("1.0", decision, binding));
        world.after(answer)
    };
    let rejected = answered(Decision::Reject { reason: "No.".into() });
    assert_eq!(reason(&rejected, "1.0"), "Blocked rejected");
    assert_eq!(reason(&rejected, "1.1"), "Blocked dependency");
    assert_eq!(graph_status(&rejected.state), GraphStatus::Blocked);
    let approved = answered(Decision::Approve { edit: None });
    assert_eq!(approved.due(), ["Execute 1.0#1"]);
}

#[test]
fn a_declaration_that_runs_one_at_a_time_leaves_the_rest_of_the_run_alone() {
    let one = || governed(pure(), &[("budget_policy", json!({ "max_parallel": 1 }))]);
    let world = World::protocol();
    let graph = world.acts(vec![one(), one()]);
    let world = world.after(graph);
    assert_eq!(world.due(), ["Execute 1.0#1"]);
    let free = step("work", ExecutorKind::Tool, pure());
    let declaration =
        Box::new(Declaration { intent: "act".into(), add: vec![free], ..Declaration::default() });
    let world = world.signalled(Signal::Submit { declaration });
    assert_eq!(world.due(), ["Execute 1.0#1", "Execute 2.0#1"]);
    let first = world.ends("1.0", done());
    given(world)
        .when([first])
        .then(["ActionEnded 1.0 completed (ok), effect none", "ActionStarted 1.1#1"])
        .due(["Execute 1.1#1", "Execute 2.0#1"]);
}

/// How many attempts an action gets that always fails.
#[test]
fn a_limit_of_retries_lowers_what_the_action_asks_for() {
    let table = [
        (json!({}), 4),
        (json!({ "max_retries": 9 }), 4),
        (json!({ "max_retries": 1 }), 2),
        (json!({ "max_retries": 0 }), 1),
    ];
    for (budget, attempts) in table {
        let mut retried = governed(pure(), &[("budget_policy", budget.clone())]);
        let policy = json!({ "on_failure": "retry", "max_attempts": 4 });
        retried.spec.on_failure = FailurePolicy::parse(&policy).unwrap();
        let mut world = run(vec![retried]);
        while world.state.ended.is_none() {
            let outcome = world.ends("1.0", failed());
            world = world.after(outcome).later(100_000).after(provost_engine::Input::Tick);
        }
        assert_eq!(world.state.action(id("1.0")).unwrap().attempt, attempts, "{budget}");
    }
}

#[test]
fn an_attempt_has_no_more_time_than_its_tool_its_run_and_its_policy_allow() {
    let timeout = |facts: Value, budget: Value| {
        let world = run(vec![governed(facts, &[("budget_policy", budget)])]);
        match provost_engine::due(&world.state, &world.now).as_slice() {
            [provost_engine::Effect::Execute(execute)] => execute.timeout_ms,
            other => panic!("{other:?}"),
        }
    };
    let own = |ms: u64| json!({ "effects": ["read"], "timeout_ms": ms });
    let usual = Limits::default().tool_ms;
    assert_eq!(timeout(json!({ "effects": ["read"] }), json!({})), usual);
    assert_eq!(timeout(own(500), json!({})), 500);
    assert_eq!(timeout(own(500), json!({ "max_ms": 70 })), 70);
    assert_eq!(timeout(own(50), json!({ "max_ms": 70 })), 50);
}

/// What a cancel makes of a running write: what is due then, and how it ends when it is stopped or completes.
#[test]
fn a_cancel_treats_what_runs_as_its_policy_says() {
    let write = json!({ "effects": ["write"] });
    let table = [
        ("let_finish", write.clone(), "Execute 1.0#1", "Completed ok", "Cancelled stopped_midway"),
        ("stop", write.clone(), "Stop 1.0#1", "Completed ok", "Cancelled stopped_midway"),
        ("stop_and_mark_in_doubt", write, "Stop 1.0#1", "Completed ok", "Blocked in_doubt"),
        (
            "stop_and_mark_in_doubt",
            json!({ "effects": ["read"] }),
            "Stop 1.0#1",
            "Completed ok",
            "Cancelled cancelled",
        ),
    ];
    for (policy, facts, due, completed, stopped) in table {
        let mut behind = step("work", ExecutorKind::Tool, pure());
        behind.depends_on = vec![0];
        let steps = vec![governed(facts, &[("cancellation_policy", json!(policy))]), behind];
        let world = run(steps).signalled(cancel());
        assert_eq!(world.due(), [due], "{policy}");
        assert_eq!(reason(&world, "1.1"), "Cancelled cancelled", "{policy}");
        for (outcome, expected) in [(done(), completed), (Outcome::Stopped, stopped)] {
            let ends = world.ends("1.0", outcome);
            let world = world.clone().after(ends);
            assert_eq!(reason(&world, "1.0"), expected, "{policy}");
            assert_eq!(world.state.ended, Some(EndStatus::Cancelled), "{policy}");
            assert_eq!(graph_status(&world.state), GraphStatus::Canceled, "{policy}");
        }
    }
}
