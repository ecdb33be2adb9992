//! Data flow: references, their checks, addresses of stored results.

use serde_json::{Value, json};

use super::{Exec, action, envelope, graph, runtime, statuses, tool};

fn refused(exec: &Exec, declaration: &Value, code: &str) -> String {
    let (exit, record) = exec.exec(declaration, &[]);
    assert_eq!((exit, record["status"].as_str()), (2, Some("refused")), "{record}");
    assert_eq!(record["errors"][0]["code"], code, "{record}");
    assert!(record["run_id"].is_null());
    record["errors"][0]["pointer"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn values_pass_from_action_to_action_typed() {
    let exec = Exec::new();
    let (code, record) = exec.exec(
        &graph(json!([
            { "id": "list", "executor": tool("t/list") },
            { "id": "echo", "executor": tool("t/echo"), "depends_on": ["list"], "result_policy": "full",
              "input": { "n": { "$ref": "action:list.output#/0/n" }, "all": { "$ref": "action:list.output" },
                         "goal": { "$ref": "input:user.goal" }, "kept": { "$literal": { "$ref": "no" } } } },
            { "id": "merged", "executor": runtime("merge"), "depends_on": ["list", "echo"], "result_policy": "full" },
        ])),
        &["--goal", "look"],
    );
    assert_eq!(code, 0, "{record}");
    let seen = action(&record, "echo")["observation"].as_str().unwrap();
    for part in ["\"n\": 1", "\"n\": 3", "\"goal\": \"look\"", "\"$ref\": \"no\""] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(action(&record, "merged")["summary"].as_str().unwrap().starts_with("{\"list\":[{\"n\":1}"));
}

#[test]
fn a_reference_without_a_value_blocks_its_action_only() {
    let exec = Exec::new();
    let (code, record) = exec.exec(
        &graph(json!([
            { "id": "list", "executor": tool("t/list") },
            { "id": "gone", "executor": tool("t/echo"), "depends_on": ["list"], "input": { "n": { "$ref": "action:list.output#/9" } } },
            { "id": "other", "executor": tool("t/list"), "depends_on": ["list"] },
        ])),
        &[],
    );
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "list:completed gone:blocked(unresolved_input) other:completed")
    );
}

#[test]
fn references_that_lead_nowhere_refuse_the_whole_declaration() {
    let exec = Exec::new();
    let of = |input: Value| {
        graph(
            json!([{ "id": "a", "executor": tool("t/list") }, { "id": "b", "executor": tool("t/echo"), "input": input }]),
        )
    };
    let pointer = refused(&exec, &of(json!({ "x": { "$ref": "action:a.output" } })), "unresolved_reference");
    assert_eq!(pointer, "/payload/actions/1/input/x");
    refused(
        &exec,
        &of(json!({ "x": { "$ref": "runtime://runs/run_none/actions/a/output" } })),
        "unresolved_reference",
    );
    refused(&exec, &of(json!({ "x": { "$ref": "item" } })), "unresolved_reference");
    refused(&exec, &of(json!({ "x": { "$ref": "action:a.output", "y": 1 } })), "invalid_schema");
    assert!(exec.provost(&["runs"]).1.is_null(), "no run is kept");
}

#[test]
fn addresses_hold_across_processes_and_earlier_runs_count_as_done() {
    let exec = Exec::new();
    let (_, first) = exec.exec(&graph(json!([{ "id": "list", "executor": tool("t/list") }])), &[]);
    let run = first["run_id"].as_str().unwrap().to_owned();
    let address = first["actions"][0]["artifacts"][0].as_str().unwrap().to_owned();
    let long = format!("runtime://runs/{run}/actions/list/output");
    let refs = json!({ "refs": [
        { "ref": address, "range": { "pointer": "/1/n" } },
        { "ref": long },
        { "ref": format!("runtime://{run}/actions/1.0/summary") },
    ] });
    let (code, record) = exec.exec(&envelope("expand_ref", refs), &[]);
    assert_eq!((code, record["actions"][0]["summary"].as_str()), (0, Some("2")), "{record}");
    let next = graph(json!([{ "id": "b", "executor": tool("t/echo"), "depends_on": ["list"],
        "input": { "n": { "$ref": "action:list.output#/2/n" } }, "result_policy": "full" }]));
    let (code, record) = exec.exec(&next, &["--after", &run]);
    assert_eq!(code, 0, "{record}");
    assert!(record["actions"][0]["observation"].as_str().unwrap().contains("\"n\": 3"));
    refused(&exec, &next, "unknown_dependency");
    let (code, record) = exec.exec(&next, &["--after", "run_none"]);
    assert_eq!((code, &record["errors"][0]["code"]), (2, &"unknown_run".into()));
}

#[test]
fn large_results_are_artifacts_and_are_expanded_by_lines_and_matches() {
    let exec = Exec::new();
    let (_, first) = exec
        .exec(&graph(json!([{ "id": "large", "executor": tool("t/large"), "result_policy": "full" }])), &[]);
    let seen = first["actions"][0]["observation"].as_str().unwrap();
    assert!(seen.contains("Truncated: ") && seen.len() < 20_000, "{seen}");
    let address = first["actions"][0]["artifacts"][0].as_str().unwrap().to_owned();
    let expand = |range: Value| {
        let refs = json!({ "refs": [{ "ref": address, "range": range }] });
        let (code, record) = exec.exec(&envelope("expand_ref", refs), &[]);
        (code, record["actions"][0]["observation"].as_str().unwrap().to_owned())
    };
    let (code, seen) = expand(json!({ "lines": [2, 3] }));
    assert!(code == 0 && seen.contains("line 1 of a long text.\nline 2 of a long text."), "{seen}");
    let (code, seen) = expand(json!({ "around_matches": "line 599 ", "context_lines": 1 }));
    assert!(code == 0 && seen.contains("599: line 598 of") && seen.contains("600: line 599 of"), "{seen}");
    let (code, seen) = expand(json!({ "around_matches": "nothing like it" }));
    assert!(code == 1 && seen.contains("no line contains"), "{seen}");
}
