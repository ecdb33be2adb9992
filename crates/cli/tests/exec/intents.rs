//! Plans, reports, and declarations about another run.

use serde_json::json;

use super::{Exec, action, envelope, graph, statuses, tool, typed};

#[test]
fn a_plan_is_checked_and_priced_and_nothing_runs() {
    let exec = Exec::new();
    let actions = typed(
        json!([{ "id": "a", "executor": tool("t/note") }, { "id": "b", "executor": tool("t/fail"), "failure_policy": "retry" }]),
    );
    let plan = envelope("plan", json!({ "type": "action_graph", "actions": actions }));
    let (code, record) = exec.exec(&plan, &[]);
    assert_eq!((code, record["status"].as_str(), &record["price"]["calls"]), (0, Some("planned"), &3.into()));
    let (code, same) =
        exec.exec(&graph(json!([{ "id": "a", "executor": tool("t/note") }])), &["--plan", "--yes"]);
    assert_eq!((code, same["status"].as_str(), same["run_id"].is_null()), (0, Some("planned"), true));
    assert!(exec.lines("noted").is_empty() && exec.lines("failed").is_empty());
}

#[test]
fn answers_and_reports_are_the_answer() {
    let exec = Exec::new();
    let (code, record) = exec.exec(&json!({ "kind": "answer", "message": "Hello." }), &[]);
    assert_eq!(
        (code, &record["answer"], record["status"].as_str()),
        (0, &"Hello.".into(), Some("completed"))
    );
    let (_, first) = exec.exec(&graph(json!([{ "id": "list", "executor": tool("t/list") }])), &[]);
    let run = first["run_id"].as_str().unwrap();
    let sections = |refs: serde_json::Value| {
        let sections = json!([{ "id": "what", "title": "What there is", "refs": refs }]);
        envelope("report", json!({ "type": "final_report_spec", "title": "Report", "sections": sections }))
    };
    let (code, record) = exec.exec(&sections(json!(["action:list.summary"])), &["--after", run]);
    let answer = record["answer"].as_str().unwrap();
    assert_eq!(code, 0, "{record}");
    assert!(
        answer.starts_with("# Report\n\n## What there is\n\n[") && answer.contains("{\"n\":1}"),
        "{answer}"
    );
    let (code, record) = exec.exec(&sections(json!(["action:none.output"])), &["--after", run]);
    assert_eq!((code, &record["errors"][0]["code"]), (2, &"unresolved_reference".into()));
}

#[test]
fn decisions_cancels_and_revisions_act_on_the_run_that_they_name() {
    let exec = Exec::with(
        "[[tools.commands]]\nname = \"t/later\"\ndescription = \"Works once a file is there.\"\nargv = [\"sh\", \"-c\", \"echo x >> later; [ -e ready ] && echo true\"]\nside_effects = [\"read\"]\nidempotency = \"pure\"\n",
    );
    let declared = graph(json!([
        { "id": "a", "executor": tool("t/later") },
        { "id": "b", "executor": tool("t/list"), "depends_on": ["a"] },
    ]));
    let (code, record) = exec.exec(&declared, &[]);
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "a:failed(command_failed) b:blocked(dependency_not_completed)")
    );
    let run = record["run_id"].as_str().unwrap();
    let decide = |choice: &str| {
        envelope("decide", json!({ "type": "decision", "run_id": run, "choice": choice, "action_id": "a" }))
    };
    exec.write("ready", "");
    let (code, record) = exec.exec(&decide("retry"), &[]);
    assert_eq!((code, statuses(&record).as_str()), (0, "a:completed b:completed"), "{record}");
    assert_eq!(exec.lines("later").len(), 2);
    let (code, record) = exec.exec(&decide("retry"), &[]);
    assert_eq!((code, &record["errors"][0]["code"]), (2, &"not_decidable".into()), "{record}");
    let (_, waiting) = exec.exec(&graph(json!([{ "id": "w", "executor": tool("t/note") }, { "id": "x", "executor": tool("t/list"), "depends_on": ["w"] }])), &[]);
    let run = waiting["run_id"].as_str().unwrap();
    let revised = json!({ "type": "action_graph", "run_id": run, "actions": typed(json!([{ "id": "x", "executor": tool("t/echo") }])) });
    let (code, record) = exec.exec(&envelope("revise", revised), &[]);
    assert_eq!(code, 0, "{record}");
    assert_eq!(statuses(&record), "w:canceled(revised) x:canceled(revised) x:completed", "{record}");
    let (_, waiting) = exec.exec(&graph(json!([{ "id": "w", "executor": tool("t/note") }])), &[]);
    let cancel = envelope("cancel", json!({ "run_id": waiting["run_id"], "reason": "enough" }));
    let (code, record) = exec.exec(&cancel, &[]);
    assert_eq!((code, record["status"].as_str()), (0, Some("canceled")), "{record}");
    assert_eq!(action(&record, "w")["reason"]["code"], "canceled_by_user");
    let (code, record) = exec.exec(&envelope("cancel", json!({ "run_id": "run_none" })), &[]);
    assert_eq!((code, &record["errors"][0]["code"]), (2, &"unknown_run".into()));
    assert!(exec.lines("noted").is_empty());
}
