//! Tools that show, find out, report and cite; sources side by side; a model for each agent.

use std::sync::Arc;

use provost::port::{Boxed, ExecutorError, ToolAction, ToolExecutor};
use provost::{
    Agent, Answer, Asked, BuildError, Call, Citation, Decision, Delta, FnModel, Followed, JsonSchema,
    Recorder, Request, RunStatus, Runtime, Script, Seq, Tool, ToolError, ToolOutput, TypedTool,
};
use serde_json::{Value, json};

use crate::scene::{Text, results};

struct Pay;

#[derive(serde::Deserialize, JsonSchema)]
struct Amount {
    cents: u64,
}

impl TypedTool for Pay {
    type Input = Amount;
    type Output = ToolOutput<u64>;
    const NAME: &'static str = "shop/pay";
    const DESCRIPTION: &'static str = "Pays.";

    async fn run(&self, amount: Amount, call: Call) -> Result<ToolOutput<u64>, ToolError> {
        let user = call.get::<String>("user").unwrap_or_default();
        Ok(ToolOutput::new(amount.cents).cite(Citation::new("bank").title("Receipt")).note("user", user))
    }

    async fn preview(&self, amount: Amount) -> Result<Option<Value>, ToolError> {
        if amount.cents > 100 {
            return Err(ToolError::new("there are 100 cents only"));
        }
        Ok(Some(json!(format!("pays {} cents", amount.cents))))
    }
}

fn paying(cents: u64) -> Runtime {
    let script = Script::new().call("shop/pay", json!({ "cents": cents })).say("Paid.");
    Runtime::builder().model(script).tool(Tool::typed(Pay).asks()).build().unwrap()
}

#[tokio::test]
async fn a_preview_is_shown_to_who_decides_and_one_that_fails_asks_nobody() {
    let runtime = paying(7);
    let waiting = runtime.start(Request::new("Go.").context("user", json!("ada"))).await.unwrap();
    let outcome = waiting.outcome().await.unwrap();
    let pending = runtime.pending().await.unwrap().remove(0);
    assert_eq!((outcome.status, &pending.preview), (RunStatus::Waiting, &json!("pays 7 cents")));
    let decided = runtime.decide(&pending.wait.to_string(), Decision::approve("grace")).await.unwrap();
    let result = decided.outcome().await.unwrap().result["tool_execution_results"][0]["result"].clone();
    assert_eq!((&result["result"], &result["metadata"]["user"]), (&json!(7), &json!("ada")));
    let cited = json!([{ "source": "bank", "source_title": "Receipt" }]);
    assert_eq!(result["metadata"]["citations"], cited);

    let runtime = paying(700);
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Paid."));
    assert!(results(&outcome)[0].contains("there are 100 cents only"), "{:?}", results(&outcome));
}

#[tokio::test]
async fn output_and_progress_reach_whoever_follows() {
    let count = Tool::with_call("disk/count", "Counts.", |_: Text, call: Call| async move {
        call.progress("counting", 1, Some(2));
        call.output("a\n");
        Ok(2)
    });
    let script =
        Script::new().call("disk/count", json!({ "text": "x" })).answer(Answer::stream(["Tw", "o."]));
    let runtime = Runtime::builder().model(script).tool(count.reads()).build().unwrap();
    let run: provost::RunId = "run-counts".parse().unwrap();
    let mut events = runtime.events(&run, Seq(0)).await.unwrap();
    runtime.start(Request::new("Go.").run(run)).await.unwrap();
    let mut heard = Vec::new();
    while let Some(followed) = events.next().await {
        match followed {
            Followed::Delta(Delta::Output { text, .. }) => heard.push(text),
            Followed::Delta(Delta::Progress { title, done, of, .. }) => {
                heard.push(format!("{title} {done} {of:?}"));
            }
            Followed::Delta(Delta::Text(text)) => heard.push(text),
            _ => {}
        }
    }
    assert_eq!(heard, ["counting 1 Some(2)", "a\n", "Tw", "o."]);
}

/// Answers every call with its name.
struct Named(&'static str);

impl ToolExecutor for Named {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        let said = format!("{} of {}", action.call.tool_name(), self.0);
        Box::pin(async move { Ok(json!({ "success": true, "result": said })) })
    }
}

fn source(of: &'static str, tools: &[&str]) -> (Value, Named) {
    let declared = |name: &&str| {
        (name.to_string(), json!({ "name": name, "description": "Works.", "parameters": {}, "write": false }))
    };
    (tools.iter().map(declared).collect(), Named(of))
}

fn mine(name: &str) -> Tool {
    Tool::new(name, "Works.", |_: Text| async { Ok("mine") }).reads()
}

#[tokio::test]
async fn tools_sources_and_executors_are_used_side_by_side() {
    let script = Script::new()
        .calls([("a/one", json!({})), ("b/two", json!({})), ("c/three", json!({ "text": "x" }))])
        .say("Done.");
    let (declared, executor) = source("second", &["b/two"]);
    let runtime = Runtime::builder()
        .model(script)
        .tools(source("first", &["a/one"]))
        .executor(declared, Arc::new(executor))
        .tool(mine("c/three"))
        .build()
        .unwrap();
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let said = |index: usize| outcome.result["tool_execution_results"][index]["result"]["result"].clone();
    assert_eq!([said(0), said(1), said(2)], ["a/one of first", "b/two of second", "mine"]);
}

#[test]
fn a_name_that_two_of_them_have_is_refused() {
    let builder = || Runtime::builder().model(Script::new());
    let twice = [
        builder().tools(source("first", &["a/one"])).tools(source("second", &["a/one"])),
        builder().tools(source("first", &["a/one"])).tool(mine("a/one")),
        builder().tool(mine("a/one")).tool(mine("a/one")),
    ];
    for builder in twice {
        assert!(matches!(builder.build().err(), Some(BuildError::ToolTwice(name)) if name == "a/one"));
    }
    assert!(builder().tools(source("first", &["a/one"])).tool(mine("a/two")).build().is_ok());
}

#[tokio::test]
async fn an_agent_has_exactly_the_tools_it_lists() {
    let shown = async |agent: Agent| {
        let recorder = Recorder::new(Script::new().say("Done."));
        let builder = Runtime::builder().model(recorder.clone()).tools(source("first", &["a/one", "a/two"]));
        let runtime = builder.tool(mine("c/three")).agent(agent).build().unwrap();
        runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        recorder.asked().remove(0).tools
    };
    assert_eq!(shown(Agent::new("x").tools(["a/two", "c/three"])).await, ["c/three", "a/two"]);
    assert_eq!(shown(Agent::new("x").tools(Vec::<String>::new())).await, Vec::<String>::new());
    assert_eq!(shown(Agent::new("x")).await.len(), 3);
}

#[tokio::test]
async fn every_agent_is_answered_by_its_own_model() {
    let says = |text: &'static str| FnModel::new(move |_: Asked| async move { Ok(Answer::say(text)) });
    let runtime = Runtime::builder()
        .model(says("large"))
        .named_model("small", says("small"))
        .agent(Agent::new("thinker"))
        .agent(Agent::new("greeter").model("small"))
        .build()
        .unwrap();
    for (agent, told) in [("thinker", "large"), ("greeter", "small")] {
        let run = runtime.start(Request::new("Who?").agent(agent)).await.unwrap();
        assert_eq!(run.outcome().await.unwrap().text(), told);
    }
    let no_model = Runtime::builder().named_model("small", says("small")).build().err();
    assert!(matches!(no_model, Some(BuildError::NoModel)));
    let unknown = Runtime::builder().model(says("x")).agent(Agent::new("a").model("tiny")).build().err();
    assert!(matches!(unknown, Some(BuildError::UnknownModel { model, .. }) if model == "tiny"));
    let twice = Runtime::builder().model(says("x")).named_model("s", says("s")).named_model("s", says("s"));
    assert!(matches!(twice.build().err(), Some(BuildError::ModelTwice(name)) if name == "s"));
}
