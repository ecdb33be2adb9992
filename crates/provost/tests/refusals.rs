//! What a run would ignore is refused when the runtime is built or the run is started.

use std::sync::Arc;

use provost::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
use provost::{
    ActionPolicy, Agent, BuildError, Builder, Request, RunStatus, Runtime, Script, StartError, Tool,
};
use serde_json::{Value, json};

use crate::scene::{Ledger, Text};

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
        assert!(told.contains("is no name of a tool: write namespace/name"), "{name}: {told}");
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
        .option("limits", json!({ "parallel_max": 2 }))
        .option("spin_detector", json!({ "threshold": 5 }));
    assert_eq!(of_agent(all), "");
}

#[tokio::test]
async fn an_option_of_a_request_that_would_not_count_is_refused() {
    let runtime = builder().tool(tool("note/read")).build().unwrap();
    for (name, value) in [
        ("max_trns", json!(3)),
        ("policy", json!({ "action_policy": { "tools": {} } })),
        ("tool_declarations", json!({})),
        ("tool_result_truncator", json!({ "bytes": 3 })),
    ] {
        let refused = runtime.start(Request::new("Go.").option(name, value)).await.err();
        assert!(matches!(refused, Some(StartError::Ignored(_))), "{name}: {refused:?}");
    }
    let unread = runtime.start(Request::new("Go.").option("limits", json!({ "parallel": 2 }))).await.err();
    assert!(matches!(unread, Some(StartError::Invalid(_))), "{unread:?}");
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
    }
}
