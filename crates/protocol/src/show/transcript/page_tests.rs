//! The page a model reads: as it looks, how it grows, what is compressed.

use provost_contract::action::{ActionId, ActionStatus, ExecutorRef, Observation};
use provost_contract::json::Object;
use serde_json::json;

use super::{Call, Declared, Frontier, GraphStatus, Replay, Run, Transcript, Turn};

fn call(id: &str, executor: serde_json::Value) -> Call {
    let args: Object = [("path".to_owned(), json!(format!("src/{id}.rs")))].into_iter().collect();
    Call {
        id: ActionId::parse(id).unwrap(),
        executor: ExecutorRef::parse(&executor).unwrap(),
        operation: None,
        depends: Vec::new(),
        description: Some("Look at one file.".to_owned()),
        args: Some(args),
        prompt: None,
        result: Observation {
            artifacts: vec![format!("artifact://r1/{id}")],
            content: "two findings".to_owned(),
            ..Observation::new(ActionStatus::Completed)
        },
    }
}

fn run(number: usize) -> Turn {
    Turn::Run(Run {
        id: format!("run_{number}"),
        purpose: Some("Look".to_owned()),
        status: GraphStatus::Completed,
        calls: vec![call(&format!("look_{number}"), json!({ "type": "tool", "target": "fs/read" }))],
        declared: Declared::default(),
    })
}

fn user(text: &str) -> Turn {
    Turn::User { text: text.to_owned() }
}

#[test]
fn a_page_is_readable() {
    let mut review = call("review", json!({ "type": "agent", "capabilities": ["code_review"] }));
    review.operation = Some("review_code".to_owned());
    review.depends = vec![ActionId::parse("look").unwrap()];
    review.args = None;
    review.prompt = Some("Look for panics.".to_owned());
    let turns = [
        user("Is the parser safe?"),
        Turn::Run(Run {
            id: "run_1".to_owned(),
            purpose: Some("Review the parser".to_owned()),
            status: GraphStatus::Completed,
            calls: vec![call("look", json!({ "type": "tool", "target": "fs/read" })), review],
            declared: Declared::default(),
        }),
        Turn::Answer { text: "It is.".to_owned() },
    ];
    let frontier = Frontier { done: vec![ActionId::parse("look").unwrap()], ..Frontier::default() };
    insta::assert_snapshot!(Transcript::of(turns, Replay::Full).request(&frontier), @r#"
    <turn index="1">
    ## User request

    Is the parser safe?
    </turn>

    <turn index="2">
    ## Assistant protocol request and runtime observations

    run_id: `run_1`
    Purpose: Review the parser
    Status: completed

    ### Call look

    Tool: `fs/read`

    ```shell
    tool fs/read <<'JSON'
    {
      "path": "src/look.rs"
    }
    JSON
    ```

    ### Result for look

    Status: completed
    Artifacts: artifact://r1/look

    ```md
    two findings
    ```

    ### Call review

    Executor: `agent:auto`
    Operation: `review_code`
    Depends: `look`

    Prompt:

    ```md
    Look for panics.
    ```

    ### Result for review

    Status: completed
    Artifacts: artifact://r1/review

    ```md
    two findings
    ```
    </turn>

    <turn index="3">
    ## Assistant answer

    It is.
    </turn>

    ## Where the work stands

    Done: `look`
    In doubt: nothing
    Next: nothing

    Based on all turns above, decide the next step.
    Strictly follow the Agent Protocol output requirements for this request.
    "#);
}

#[test]
fn the_page_only_grows_at_its_end_until_a_compression_is_declared() {
    let mut page = Transcript::new(Replay::Hybrid { keep: 3, step: 4, chars_max: 1_000 });
    let (mut before, mut compressed, mut declared) = (String::new(), 0, 0);
    for number in 0..40 {
        page.push(if number % 3 == 0 { user("Go on.") } else { run(number) });
        let after = page.history();
        if page.compressed_runs() == compressed {
            assert!(after.starts_with(&before), "turn {number} rewrote history silently");
        } else {
            declared += 1;
        }
        (before, compressed) = (after, page.compressed_runs());
    }
    assert!(declared > 2 && declared < 10, "{declared} compressions over 40 turns");
}

#[test]
fn hybrid_keeps_the_last_runs_in_full_and_older_ones_as_summary_and_reference() {
    let page = Transcript::of((1..=7).map(run), Replay::Hybrid { keep: 3, step: 4, chars_max: 1_000 });
    let text = page.history();
    assert_eq!(page.compressed_runs(), 4);
    for number in 1..=7 {
        let (old, at) = (number <= 4, format!("src/look_{number}.rs"));
        assert_eq!(text.contains(&at), !old, "the arguments of run {number}");
        assert_eq!(text.contains(&format!("runtime://runs/run_{number}/declaration")), old);
        assert!(text.contains(&format!("### Result for look_{number}")), "results stay");
        assert!(text.contains(&format!("<turn index=\"{number}\">")), "numbers stay");
    }
    assert_eq!(text.matches("Task: Look at one file.").count(), 4, "what each call was for stays");
}

#[test]
fn full_and_compressed_replay_treat_every_run_alike() {
    let full = Transcript::of((1..=30).map(run), Replay::Full).history();
    let compressed = Transcript::of((1..=30).map(run), Replay::Compressed).history();
    assert_eq!((full.matches("<<'JSON'").count(), full.matches("Declaration:").count()), (30, 0));
    assert_eq!((compressed.matches("<<'JSON'").count(), compressed.matches("Declaration:").count()), (0, 30));
}

#[test]
fn a_long_declaration_is_compressed_from_the_start() {
    let long = |chars_max| Transcript::of([run(1)], Replay::Hybrid { keep: 3, step: 1, chars_max }).history();
    assert!(long(1_000).contains("<<'JSON'"));
    assert!(!long(4).contains("<<'JSON'"));
}

#[test]
fn after_a_compaction_the_frontier_is_always_there() {
    let compacted =
        Turn::Compacted { summary: "Much was done.".to_owned(), reference: "runtime://runs/r0".to_owned() };
    let request = Transcript::of([compacted], Replay::default()).request(&Frontier::default());
    for part in ["Much was done.", "runtime://runs/r0", "Done: nothing", "In doubt: nothing", "Next: nothing"]
    {
        assert!(request.contains(part), "{part}");
    }
    let plain = Transcript::of([user("Hi")], Replay::default()).request(&Frontier::default());
    assert!(!plain.contains("Done:"), "nothing was compacted and nothing is under way");
}
