//! Graphs: order, failures, conditions, loops, fan-outs.

use serde_json::json;

use super::{Exec, action, graph, runtime, statuses, tool};

#[test]
fn a_graph_runs_and_the_record_says_what_came_of_it() {
    let exec = Exec::new();
    let (code, record) = exec.exec(
        &graph(json!([
            { "id": "a", "executor": tool("t/list"), "title": "Look" },
            { "id": "b", "executor": tool("t/echo"), "depends_on": ["a"], "input": { "x": 1 }, "result_policy": "full" },
            { "id": "c", "executor": runtime("wait"), "input": { "ms": 10 } },
        ])),
        &[],
    );
    assert_eq!((code, record["status"].as_str()), (0, Some("completed")), "{record}");
    assert_eq!(statuses(&record), "a:completed b:completed c:completed");
    assert_eq!(record["price"]["calls"], 3);
    let a = action(&record, "a");
    assert_eq!(
        (&a["title"], &a["attempts"], &a["executor"]["target"]),
        (&"Look".into(), &1.into(), &"t/list".into())
    );
    assert!(a["started_at"].is_string() && a["ended_at"].is_string());
    let seen = action(&record, "b")["observation"].as_str().unwrap();
    assert!(seen.starts_with("### Result for b\n\nStatus: completed\nArtifacts: artifact://"), "{seen}");
    assert!(seen.contains("\"x\": 1"), "{seen}");
    let (code, shown) = exec.provost(&["show", "last"]);
    assert_eq!((code, &shown["result"]), (0, &record), "show has the same record");
}

#[test]
fn failures_are_retried_continued_or_abort_the_rest() {
    let exec = Exec::new();
    let (code, record) = exec.exec(
        &graph(json!([
            { "id": "retried", "executor": tool("t/fail"), "failure_policy": { "on_failure": "retry", "max_attempts": 2 } },
            { "id": "after", "executor": tool("t/list"), "depends_on": ["retried"] },
            { "id": "instead", "executor": tool("t/list"), "depends_on": ["retried"], "when": { "action": "retried", "status": "failed" } },
            { "id": "unless", "executor": tool("t/list"), "depends_on": ["retried"], "when": { "action": "retried", "status": "completed" } },
            { "id": "tolerated", "executor": tool("t/fail"), "failure_policy": "continue" },
            { "id": "goes_on", "executor": tool("t/list"), "depends_on": ["tolerated"] },
        ])),
        &[],
    );
    assert_eq!((code, record["status"].as_str()), (1, Some("failed")));
    assert_eq!(
        statuses(&record),
        "retried:failed(command_failed) after:blocked(dependency_not_completed) instead:completed \
         unless:canceled(condition_not_met) tolerated:failed(command_failed) goes_on:completed"
    );
    assert_eq!(action(&record, "retried")["attempts"], 2);
    assert_eq!(exec.lines("failed").len(), 3);
    let (code, record) = exec.exec(
        &graph(json!([
            { "id": "a", "executor": tool("t/fail"), "failure_policy": "abort" },
            { "id": "b", "executor": tool("t/list"), "depends_on": ["w"] },
            { "id": "w", "executor": runtime("wait"), "input": { "ms": 500 } },
        ])),
        &[],
    );
    assert_eq!((code, statuses(&record).contains("b:canceled(aborted)")), (1, true), "{}", statuses(&record));
}

#[test]
fn a_loop_stops_at_its_goal_and_a_bound_holds() {
    let exec = Exec::new();
    let looped = |max: u32| {
        let repeat = json!({ "max": max, "until": { "field": "/done", "equals": true } });
        graph(json!([{ "id": "a", "executor": tool("t/third"), "repeat": repeat }]))
    };
    let (code, record) = exec.exec(&looped(5), &[]);
    assert_eq!((code, &action(&record, "a")["attempts"]), (0, &3.into()), "{record}");
    let exec = Exec::new();
    let (code, record) = exec.exec(&looped(2), &[]);
    assert_eq!((code, statuses(&record).as_str()), (1, "a:failed(rounds_exhausted)"));
}

#[test]
fn a_fan_out_has_one_execution_an_item_and_its_output_is_the_list_in_order() {
    let exec = Exec::new();
    let declared = |max: u32| {
        graph(json!([
            { "id": "list", "executor": tool("t/list") },
            { "id": "each", "executor": tool("t/echo"), "depends_on": ["list"], "for_each": { "in": "action:list.output", "max": max },
              "input": { "n": { "$ref": "item#/n" } } },
            { "id": "last", "executor": tool("t/echo"), "depends_on": ["each"], "input": { "x": { "$ref": "action:each.output#/2/got/n" } }, "result_policy": "full" },
        ]))
    };
    let (code, record) = exec.exec(&declared(3), &[]);
    assert_eq!(code, 0, "{record}");
    assert_eq!(action(&record, "each")["attempts"], 3);
    assert!(action(&record, "last")["observation"].as_str().unwrap().contains("\"x\": 3"), "{record}");
    let (code, record) = exec.exec(&declared(2), &[]);
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "list:completed each:blocked(limit_exceeded) last:blocked(dependency_not_completed)")
    );
}

#[test]
fn writers_run_alone_and_a_sequential_graph_one_by_one() {
    let exec = Exec::new();
    let (code, record) = exec.exec(
        &graph(json!([{ "id": "a", "executor": tool("t/note") }, { "id": "b", "executor": tool("t/note") }])),
        &["--yes"],
    );
    assert_eq!((code, statuses(&record).as_str()), (0, "a:completed b:completed"));
    let keys = exec.lines("noted");
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1], "each action has a key of its own");
    assert_eq!(action(&record, "a")["summary"], "noted it");
    let mut sequential = graph(json!([
        { "id": "a", "executor": runtime("wait"), "input": { "ms": 1 } },
        { "id": "b", "executor": tool("t/list") },
    ]));
    sequential["execution"] = json!({ "strategy": "sequential" });
    assert_eq!(exec.exec(&sequential, &[]).0, 0);
}
