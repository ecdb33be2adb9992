//! What is refused, what is not available, and the limits of a declaration's policies.

use serde_json::json;

use super::{Exec, action, graph, statuses, tool};

#[test]
fn what_is_not_there_is_refused_before_anything_runs() {
    let exec = Exec::new();
    for (executor, code) in [
        (tool("t/none"), "unknown_tool"),
        (json!({ "type": "agent", "target": "reviewer" }), "unknown_agent"),
        (json!({ "type": "human", "target": "ask_user" }), "unresolved_executor"),
        (json!({ "type": "pipeline", "target": "x" }), "unresolved_executor"),
        (json!({ "type": "tool", "target": "auto", "capabilities": ["command"] }), "unresolved_executor"),
    ] {
        let (exit, record) = exec.exec(
            &graph(json!([{ "id": "n", "executor": tool("t/note") }, { "id": "a", "executor": executor }])),
            &["--yes"],
        );
        assert_eq!((exit, &record["errors"][0]["code"]), (2, &code.into()), "{record}");
    }
    let (exit, record) = exec.exec_text("{\"kind\": \"act\", \"calls\": [}", &[]);
    assert_eq!((exit, &record["errors"][0]["code"]), (2, &"invalid_json".into()));
    let (exit, record) =
        exec.exec(&graph(json!([{ "id": "a", "executor": tool("t/list"), "depends": "b" }])), &[]);
    assert_eq!((exit, &record["errors"][0]["code"]), (2, &"invalid_schema".into()));
    assert_eq!(exec.exec(&json!({ "kind": "done" }), &["--answer", "a=b"]).0, 2);
    assert!(exec.lines("noted").is_empty());
}

#[test]
fn policies_of_every_layer_restrict_and_none_widens() {
    let exec = Exec::with(
        "[policies]\napproval_gates = [\"execute\"]\nside_effects = [\"none\", \"read\", \"write\", \"execute\"]\n",
    );
    let list = |policies: serde_json::Value| {
        let (_, record) =
            exec.exec(&graph(json!([{ "id": "a", "executor": tool("t/list"), "policies": policies }])), &[]);
        statuses(&record)
    };
    assert_eq!(list(json!({})), "a:completed");
    assert_eq!(list(json!({ "permission_policy": "ask" })), "a:waiting");
    assert_eq!(list(json!({ "approval_gates": ["read"] })), "a:waiting");
    assert_eq!(list(json!({ "side_effects": ["none"] })), "a:blocked(denied)");
    let (_, record) = exec.exec(&graph(json!([{ "id": "a", "executor": tool("shell/run"), "input": { "argv": ["true"] }, "policies": { "permission_policy": "allow" } }])), &[]);
    assert_eq!(statuses(&record), "a:waiting", "an action does not lift what the runtime asks about");
    let (code, record) = exec.exec(
        &graph(json!([{ "id": "a", "executor": tool("t/large"), "result_policy": "full", "policies": { "budget_policy": { "max_tokens": 20 } } }])),
        &[],
    );
    let seen = action(&record, "a")["observation"].as_str().unwrap();
    assert!(code == 0 && seen.contains("Truncated") && seen.len() < 400, "{seen}");
    let (_, record) = exec.exec(
        &graph(json!([{ "id": "a", "executor": tool("t/list"), "result_policy": "full", "policies": { "data_visibility": "runtime_only" } }])),
        &[],
    );
    let seen = action(&record, "a")["observation"].as_str().unwrap();
    assert!(seen.contains("Withheld") && !seen.contains("\"n\""), "{seen}");
    let (code, record) = exec.exec(
        &graph(json!([{ "id": "a", "executor": tool("t/fail"), "failure_policy": { "on_failure": "retry", "max_attempts": 5 }, "policies": { "budget_policy": { "max_retries": 1 } } }])),
        &[],
    );
    assert_eq!((code, &action(&record, "a")["attempts"]), (1, &2.into()));
}

#[test]
fn a_limit_stops_the_graph_with_its_own_code() {
    let exec = Exec::with("[budgets]\ntool_calls = 1");
    let (code, record) = exec.exec(
        &graph(json!([{ "id": "a", "executor": tool("t/list") }, { "id": "b", "executor": tool("t/list"), "depends_on": ["a"] }])),
        &[],
    );
    assert_eq!(
        (code, statuses(&record).as_str()),
        (4, "a:completed b:canceled(budget_exceeded)"),
        "{record}"
    );
}

#[test]
fn people_read_it_in_words() {
    let exec = Exec::new();
    let (code, printed) = exec.piped(&graph(json!([{ "id": "a", "executor": tool("t/list") }])).to_string());
    assert!(code == 0 && printed.contains("t/list") && printed.contains("completed"), "{printed}");
    let (code, printed) =
        exec.piped("{\"kind\":\"act\",\"calls\":[{\"id\":\"a\",\"type\":\"tool\",\"name\":\"t/lst\"}]}");
    assert!(
        code == 2 && printed.contains("unknown_tool") && printed.contains("did you mean t/list?"),
        "{printed}"
    );
    assert!(printed.contains("Nothing was run."), "{printed}");
}
