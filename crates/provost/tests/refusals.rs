//! What a run would ignore is refused when the runtime is built or the run is started.

use std::sync::Arc;
use std::time::Duration;

use provost::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
use provost::{
    ActionPolicy, Agent, Backoff, BuildError, Builder, CallRule, Decision, Remember, Request, Resume,
    RunStatus, Runtime, Script, StartError, Tool, ToolTiers, WorkError,
};
use serde_json::{Value, json};

use crate::scene::{Ledger, Scene, Text};

fn builder() -> Builder {
    Runtime::builder().model(Script::new().call("note/read", json!({ "text": "a" })).say("Done."))
}

fn tool(name: &str) -> Tool {
    Tool::new(name, "Works.", |_: Text| async { Ok("done") }).reads()
}

/// The sentence with which a runtime is refused.
fn refused(builder: Builder) -> String {
    builder.build().err().map(|error| error.to_string()).unwrap_or_default()
}

fn of_agent(agent: Agent) -> String {
    refused(builder().tool(tool("note/read").categories(["notes"])).agent(agent))
}

#[test]
fn a_tool_that_no_run_would_have_is_refused() {
    for name in ["add", "Math/Add", "a b/c", "math/add/extra", "", "/", "1/a"] {
        let told = refused(builder().tool(tool(name)));
        assert!(told.contains("is not a tool name: write namespace/name"), "{name}: {told}");
    }
    let told = refused(builder().tool(tool("client/x")));
    assert!(told.contains("Tool::for_client"), "{told}");
    let told = refused(builder().tool(Tool::for_client::<Text>("ui/pick", "Picks.")));
    assert!(told.contains("write `client/pick`"), "{told}");
    assert_eq!(refused(builder().tool(Tool::for_client::<Text>("client/pick", "Picks."))), "");
    assert_eq!(refused(builder().tool(tool("math/add"))), "");
}

#[test]
fn a_limit_or_denial_that_would_not_hold_is_refused() {
    let agent = || Agent::new("scribe");
    let cases = [
        (agent().budget("tokns", 1), "there is no budget `tokns`: write one of turns, "),
        (agent().budget("tool_calls", 0), "the budget `tool_calls` is 0: write at least 1"),
        (agent().budget("tool_calls_a/typo", 1), "there is no tool `a/typo`: write one of note/read"),
        (agent().policy("a/typo", ActionPolicy::Forbidden), "there is no tool `a/typo`"),
        (agent().category_policy("wirte", ActionPolicy::Forbidden), "no tool has the category `wirte`"),
        (agent().categories(["ntes"]), "no tool has the category `ntes`"),
        (agent().tools(["a/typo"]), "names the unknown tool a/typo"),
        (agent().repetition_limit(1), "write at least 2, or 0"),
        (agent().max_turns(0), "`max_turns` is 0: write at least 1"),
        (agent().tiers(ToolTiers::at_most(0)), "`ToolTiers::at_most` is 0"),
        (agent().rule(CallRule::at_least(0)), "`CallRule::at_least` is 0"),
        (agent().rule(CallRule::at_least(1).one_of(["note/read"])), "write CallRule::after"),
        (
            agent().option("limits", json!({ "paralel_max": 1 })),
            "`limits` has no `paralel_max`: write one of ",
        ),
        (agent().option("limits", json!({ "parallel_max": 0 })), "`parallel_max` of `limits` is 0"),
        (agent().option("limits", json!({ "tool_ms_max": 0 })), "`tool_ms_max` of `limits` is 0"),
        (agent().option("limits", json!({ "tool_ms_max": "9" })), "write a whole number"),
        (agent().option("limits", json!({ "parallel_max": 1_u64 << 40 })), "the agent `scribe`: "),
        (agent().option("compacton_policy", json!(3)), "there is no option `compacton_policy`"),
        (agent().option("policy", json!({})), "use Agent::policy"),
        (agent().option("compaction_policy", json!({ "enabled": true })), "call Builder::summariser"),
        (agent().option("spin_detector", json!(5)), "write { \"threshold\": N }"),
        (agent().option("spin_detector", json!({ "treshold": 5 })), "write { \"threshold\": N }"),
        (agent().option("tool_call_rules", json!([{ "after": "x" }])), "cannot act"),
    ];
    for (agent, told) in cases {
        let said = of_agent(agent);
        assert!(said.contains(told), "{told}: {said}");
    }
    let all = agent()
        .budget("tokens", 1)
        .budget("tool_calls_note/read", 1)
        .policy("note/read", ActionPolicy::Forbidden)
        .category_policy("write", ActionPolicy::Preview)
        .category_policy("notes", ActionPolicy::Preview)
        .categories(["notes"])
        .tools(["note/read"])
        .max_turns(1)
        .tiers(ToolTiers::at_most(1))
        .rule(CallRule::at_least(1))
        .option("limits", json!({ "parallel_max": 1, "tool_ms_max": 1 }))
        .option("spin_detector", json!({ "threshold": 5 }));
    assert_eq!(of_agent(all), "");
}

/// Without approvers everyone may decide, so a list that names no one must not become that.
#[test]
fn approvers_without_a_name_are_refused() {
    let agent = || Agent::new("scribe");
    let said = of_agent(agent().approvers(Vec::<String>::new()));
    assert!(said.contains("`approvers` is empty: name at least one person"), "{said}");
    for names in [vec![""], vec!["  "], vec!["user:ada", ""]] {
        let said = of_agent(agent().approvers(names.clone()));
        assert!(said.contains("an approver has no name"), "{names:?}: {said}");
    }
    assert_eq!(of_agent(agent().approvers(["user:ada"])), "");
}

#[test]
fn a_runtime_that_could_not_work_is_refused() {
    let attempts = |attempts| Backoff { attempts, ..Backoff::default() };
    let timeout = |ms| tool("note/read").timeout(Duration::from_millis(ms));
    let cases = [
        (builder().runs_max(0), "`runs_max` is 0"),
        (builder().retries(attempts(0)), "write 1 for no retry"),
        (builder().tool(timeout(0)), "the timeout of the tool `note/read` is 0"),
        (builder().sqlite(""), "the path of the database is empty"),
        (builder().sqlite(":memory:"), "MemoryStore"),
    ];
    for (builder, told) in cases {
        let said = refused(builder);
        assert!(said.contains(told), "{told}: {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    assert_eq!(refused(builder().runs_max(1).retries(attempts(1)).tool(timeout(1)).sqlite(file)), "");
}

#[tokio::test]
async fn a_decision_that_means_nothing_is_refused() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    let outcome = scene.run().await;
    let wait = &outcome.waits[0].wait;
    let yes = || Decision::approve("grace");
    let no = || Decision::reject("grace", "no");
    let parameters = json!({ "text": "b" }).as_object().cloned();
    let cases = [
        (Decision::approve(""), "names no person"),
        (Decision::reject(" ", "no"), "names no person"),
        (Decision { remember: Remember::For(Duration::ZERO), ..yes() }, "for no time"),
        (Decision { parameters, ..no() }, "is declined, so other arguments"),
        (Decision { result: Some(json!("done")), ..no() }, "is declined, so other arguments"),
    ];
    for (decision, told) in cases {
        let said = scene.runtime.decide(wait, decision).await.err().unwrap().to_string();
        assert!(said.contains(told), "{told}: {said}");
    }
    assert_eq!(scene.ledger.entries(), Vec::<String>::new());
    let text = wait.to_string();
    let done = scene.runtime.decide(text.as_str(), yes()).await.unwrap().outcome().await.unwrap();
    assert_eq!((done.status, scene.ledger.entries().len()), (RunStatus::Completed, 1));
}

#[tokio::test]
async fn a_run_is_not_reopened_with_a_budget_that_would_not_count() {
    let script = Script::new().fail(provost::ModelError::new("auth", "no")).say("Here.");
    let runtime = Runtime::builder().model(script).build().unwrap();
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let reopen = async |name: &str, ceiling: u64| {
        let budgets = [(name.to_owned(), ceiling)].into();
        runtime.reopen(&outcome.run, Resume { budgets, ..Resume::default() }).await
    };
    for (name, ceiling, told) in [("tokns", 9, "there is no budget `tokns`"), ("tokens", 0, "is 0")] {
        let said = reopen(name, ceiling).await.err();
        let fits = matches!(&said, Some(WorkError::Invalid(error)) if error.to_string().contains(told));
        assert!(fits, "{name}: {said:?}");
    }
    let reopened = reopen("tokens", 9_000).await.unwrap();
    assert_eq!(reopened.outcome().await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn an_option_of_a_request_that_would_not_count_is_refused() {
    let runtime = builder().tool(tool("note/read")).build().unwrap();
    for (name, value) in [
        ("max_trns", json!(3)),
        ("policy", json!({ "action_policy": { "tools": {} } })),
        ("tool_declarations", json!({})),
        ("tool_result_truncator", json!({ "bytes": 3 })),
        ("limits", json!({ "parallel": 2 })),
    ] {
        let refused = runtime.start(Request::new("Go.").option(name, value)).await.err();
        assert!(matches!(refused, Some(StartError::Ignored(_))), "{name}: {refused:?}");
    }
    let counted = Request::new("Go.").option("tool_result_truncator", json!({ "max_bytes": 300 }));
    assert_eq!(runtime.start(counted).await.unwrap().outcome().await.unwrap().status, RunStatus::Completed);
}

/// Carries out every call, and remembers the tools.
struct Everything(Ledger);

impl ToolExecutor for Everything {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        self.0.note(action.call.tool_name());
        Box::pin(async { Ok(json!({ "success": true, "result": "done" })) })
    }
}

fn with_executor(agent: Agent) -> (Ledger, Builder) {
    let ledger = Ledger::default();
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let declared = |name: &str| json!({ "name": name, "description": "Works.", "parameters": schema });
    let all = json!({ "note/read": declared("note/read"), "note/put": declared("note/put") });
    let model = Script::new()
        .calls([("note/read", json!({ "text": "a" })), ("note/put", json!({ "text": "b" }))])
        .say("Done.");
    let builder =
        Runtime::builder().model(model).agent(agent).executor(all, Arc::new(Everything(ledger.clone())));
    (ledger, builder)
}

#[tokio::test]
async fn the_tools_of_an_agent_count_beside_an_executor_too() {
    let run = async |agent: Agent| {
        let (ledger, builder) = with_executor(agent);
        let outcome = builder.build().unwrap().start("Go.").await.unwrap().outcome().await.unwrap();
        (outcome.status, ledger.entries())
    };
    let all = run(Agent::new("scribe")).await;
    assert_eq!(all, (RunStatus::Completed, vec!["note/read".to_owned(), "note/put".to_owned()]));
    let one = run(Agent::new("scribe").tools(["note/read"])).await;
    assert_eq!(one, (RunStatus::Completed, vec!["note/read".to_owned()]), "the other one does not exist");
    let (_, unknown) = with_executor(Agent::new("scribe").tools(["note/raed"]));
    assert!(matches!(unknown.build().err(), Some(BuildError::NoTool { tool, .. }) if tool == "note/raed"));
}

#[test]
fn declarations_that_are_none_are_refused() {
    let (_, builder) = with_executor(Agent::new("scribe"));
    assert!(builder.tool(tool("x/mine")).build().is_ok(), "tools stand beside an executor");
    let executor = || Arc::new(Everything(Ledger::default()));
    for declarations in [
        json!([]),
        json!({ "add": { "description": "Adds." } }),
        json!({ "math/add": { "name": "math/sub", "description": "Adds." } }),
        json!({ "math/add": 3 }),
        json!({ "client/x": { "description": "Adds." } }),
    ] {
        let refused = self::builder().executor(declarations.clone(), executor()).build().err();
        assert!(matches!(refused, Some(BuildError::Ignored(_))), "{declarations}: {refused:?}");
        let told = refused.map(|refused| refused.to_string()).unwrap_or_default();
        assert!(!told.contains("array"), "JSON has objects: {told}");
    }
}
