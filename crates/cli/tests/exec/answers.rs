//! Approvals and doubt: answered in other processes, by the name of the action.

use serde_json::json;

use super::{Exec, action, graph, statuses, tool};

#[test]
fn an_approval_waits_and_the_answer_of_another_process_goes_on() {
    let exec = Exec::new();
    let declared = graph(json!([
        { "id": "read", "executor": tool("t/list") },
        { "id": "write", "executor": tool("t/note"), "depends_on": ["read"] },
        { "id": "after", "executor": tool("t/list"), "depends_on": ["write"] },
    ]));
    let (code, record) = exec.exec(&declared, &[]);
    assert_eq!((code, statuses(&record).as_str()), (3, "read:completed write:waiting after:pending"));
    assert_eq!((&record["status"], &record["waits"][0]["kind"]), (&"blocked".into(), &"approval".into()));
    assert_eq!(record["waits"][0]["action"], "write");
    let run = record["run_id"].as_str().unwrap();
    let (code, record) = exec.provost(&["approve", run, "--action", "write"]);
    assert_eq!((code, statuses(&record).as_str()), (0, "read:completed write:completed after:completed"));
    assert_eq!(exec.lines("noted").len(), 1);
    let (code, record) = exec.exec(&declared, &[]);
    assert_eq!(code, 3);
    let run = record["run_id"].as_str().unwrap();
    let (code, record) = exec.provost(&[
        "reject",
        run,
        "--action",
        record["waits"][0]["id"].as_str().unwrap(),
        "--reason",
        "not now",
    ]);
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "read:completed write:blocked(rejected) after:blocked(dependency_not_completed)")
    );
    assert!(action(&record, "write")["reason"]["message"].as_str().unwrap().contains("not now"));
    assert_eq!(exec.lines("noted").len(), 1);
}

#[test]
fn yes_and_no_answer_every_approval_and_never_what_is_forbidden() {
    let exec = Exec::with("[policy.tools]\n\"t/fail\" = \"deny\"");
    let declared = graph(json!([
        { "id": "asked", "executor": tool("t/note") },
        { "id": "denied", "executor": tool("t/fail") },
        { "id": "own", "executor": tool("t/list"), "policies": { "permission_policy": "deny" } },
    ]));
    let (code, record) = exec.exec(&declared, &["--yes"]);
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "asked:completed denied:blocked(denied) own:blocked(denied)")
    );
    let (code, record) = exec.exec(&declared, &["--no"]);
    assert_eq!(
        (code, statuses(&record).as_str()),
        (1, "asked:blocked(rejected) denied:blocked(denied) own:blocked(denied)")
    );
    assert_eq!((exec.lines("noted").len(), exec.lines("failed").len()), (1, 0));
}

/// A worker that is killed while a tool writes leaves a doubt, which only a person settles.
#[test]
fn what_a_crash_left_in_doubt_is_answered_three_ways() {
    for (words, code, expected) in [
        (vec!["--again"], 0, "slow:completed after:completed"),
        (
            vec!["--leave", "--reason", "unsure"],
            1,
            "slow:blocked(in_doubt) after:blocked(dependency_not_completed)",
        ),
        (vec!["--happened", "{\"done\":true}"], 0, "slow:completed after:completed"),
    ] {
        let exec = Exec::with(
            "[[tools.commands]]\nname = \"t/slow\"\ndescription = \"Writes, then waits.\"\nargv = [\"sh\", \"-c\", \"echo x >> slow; [ -e go ] || sleep 60; echo true\"]\nside_effects = [\"write\"]\n",
        );
        let file = exec.write(
            "d.json",
            &graph(json!([
                { "id": "slow", "executor": tool("t/slow"), "persist": true },
                { "id": "after", "executor": tool("t/list"), "depends_on": ["slow"], "persist": true },
            ]))
            .to_string(),
        );
        let mut child = exec.command(&["--json", "exec", &file, "--project", "p", "--yes"]);
        let mut child = child.stdout(std::process::Stdio::null()).spawn().unwrap();
        while exec.lines("slow").is_empty() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        exec.write("go", "");
        let (exit, record) = exec.provost(&["resume", "last"]);
        assert_eq!((exit, statuses(&record).as_str()), (3, "slow:waiting after:pending"), "{record}");
        assert_eq!(record["waits"][0]["kind"], "in_doubt");
        let mut answer = vec!["answer", "last", "--action", "slow"];
        answer.extend(&words);
        let (exit, record) = exec.provost(&answer);
        assert_eq!((exit, statuses(&record).as_str()), (code, expected), "{words:?}");
        assert_eq!(exec.lines("slow").len(), if words[0] == "--again" { 2 } else { 1 });
    }
}
