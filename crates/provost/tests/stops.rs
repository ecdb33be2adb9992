//! Stopping: on demand, by a limit, and taking up again.

use provost::{Agent, Resume, RunStatus, Script};
use serde_json::json;

use crate::scene::{Ledger, Scene, Slow, results};

#[tokio::test]
async fn a_cancel_stops_a_running_tool_and_says_so() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new()
        .calls([("slow/first", json!({ "text": "1" })), ("note/put", json!({ "text": "2" }))])
        .say("Never said.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![tool]);
    let run = scene.runtime.start("Go.").await.unwrap();
    let name = run.run().clone();
    slow.began.notified().await;
    scene.runtime.cancel(&name, "ada", "enough").await.unwrap();
    let done = run.outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Cancelled);
    assert_eq!(ledger.entries(), ["stopped"]);
    assert!(scene.ledger.entries().is_empty());
    assert_eq!(
        results(&done),
        [
            "call-1-1 Stopped while it ran: ada cancelled the run. It may have taken effect in part or in full.",
            "call-1-2 Not run: ada cancelled the run first."
        ]
    );
    assert_eq!(done.result["cancelled"], json!({ "by": "ada", "reason": "enough" }));
}

#[tokio::test]
async fn a_cancel_is_heard_however_much_was_said_before_it() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Never said.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![tool]);
    let run = scene.runtime.start("Go.").await.unwrap();
    let name = run.run().clone();
    slow.began.notified().await;
    for number in 0..150 {
        scene.runtime.say(&name, "ada", &format!("Line {number}.")).await.unwrap();
    }
    scene.runtime.cancel(&name, "ada", "enough").await.unwrap();
    let done = run.outcome().await.unwrap();
    assert_eq!((done.status, ledger.entries()), (RunStatus::Cancelled, vec!["stopped".to_owned()]));
    assert_eq!(done.result["messages"].as_array().unwrap().len(), 153, "and nothing that was said is lost");
}

/// Never answers, and counts how often it was asked.
#[derive(Default)]
struct Silent {
    asked: std::sync::atomic::AtomicUsize,
    began: tokio::sync::Notify,
}

impl provost::port::Model for Silent {
    fn turn<'a>(
        &'a self,
        _: provost::port::TurnRequest<'a>,
    ) -> provost::port::Boxed<'a, Result<provost::port::TurnAnswer, provost::port::ModelError>> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.began.notify_one();
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_cancelled_model_is_not_asked_again() {
    let model = std::sync::Arc::new(Silent::default());
    let asked: std::sync::Arc<dyn provost::port::Model> = model.clone();
    let runtime = provost::Runtime::builder().model(asked).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    let name = run.run().clone();
    model.began.notified().await;
    for number in 0..150 {
        runtime.say(&name, "ada", &format!("Line {number}.")).await.unwrap();
    }
    runtime.cancel(&name, "ada", "enough").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, RunStatus::Cancelled);
    assert_eq!(model.asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_message_while_a_tool_runs_is_heard_in_the_next_turn() {
    let ledger = Ledger::default();
    let (slow, tool) = Slow::tool("slow/first", &ledger);
    let script = Script::new().call("slow/first", json!({ "text": "1" })).say("Heard.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![tool]);
    let run = scene.runtime.start("Go.").await.unwrap();
    let name = run.run().clone();
    slow.began.notified().await;
    scene.runtime.say(&name, "ada", "And be quick.").await.unwrap();
    slow.end.notify_one();
    let done = run.outcome().await.unwrap();
    let contents: Vec<_> =
        done.result["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(contents[3..], ["And be quick.", "Heard."]);
}

#[tokio::test]
async fn a_budget_of_tokens_is_refused_before_the_next_turn() {
    let script = |tokens: u64| {
        Script::new()
            .call("note/put", json!({ "text": "a" }))
            .costing(json!({ "total_tokens": tokens }))
            .say("Done.")
    };
    let agent = || Agent::new("scribe").budget("tokens", 100);
    let spent = Scene::with(script(100), agent(), Vec::new()).run().await;
    assert_eq!(spent.status, RunStatus::BudgetExceeded);
    assert_eq!(spent.result["budget"], "tokens");
    assert_eq!(spent.result["turn_count"], 1);
    let within = Scene::with(script(99), agent(), Vec::new()).run().await;
    assert_eq!(within.status, RunStatus::Completed);
}

/// A budget that one way of writing a number gets around is none.
#[tokio::test]
async fn tokens_count_however_a_provider_writes_them() {
    let status = async |usage: serde_json::Value| {
        let script = Script::new().call("note/put", json!({ "text": "a" })).costing(usage).say("Done.");
        let agent = Agent::new("scribe").budget("tokens", 100).budget("cost_microusd", 100);
        Scene::with(script, agent, Vec::new()).run().await.status
    };
    for usage in [
        json!({ "total_tokens": 100.0 }),
        json!({ "total_tokens": "100" }),
        json!({ "input_tokens": 60, "output_tokens": 40 }),
        json!({ "total_tokens": 0, "prompt_tokens": 60, "completion_tokens": 40 }),
        json!({ "cost_microusd": 99.5 }),
    ] {
        assert_eq!(status(usage.clone()).await, RunStatus::BudgetExceeded, "{usage}");
    }
    for usage in [json!({ "total_tokens": 99.0 }), json!({ "cost_microusd": 98.5 }), json!({})] {
        assert_eq!(status(usage.clone()).await, RunStatus::Completed, "{usage}");
    }
}

/// Sets so much aside for each turn, and says what it used or does not.
struct Reserving(serde_json::Value);

impl provost::port::Model for Reserving {
    fn reserve(&self, _: provost::port::TurnRequest<'_>) -> provost::port::Reservation {
        provost::port::Reservation { tokens: 60, cost_microusd: 0 }
    }

    fn turn<'a>(
        &'a self,
        request: provost::port::TurnRequest<'a>,
    ) -> provost::port::Boxed<'a, Result<provost::port::TurnAnswer, provost::port::ModelError>> {
        let call = json!({ "id": "1", "name": "note/put", "parameters": { "text": "a" } });
        let calls = if request.turn == 1 { vec![call] } else { Vec::new() };
        let turn = json!({ "content": "Done.", "tool_calls": calls, "usage": self.0 });
        Box::pin(async move { provost::port::TurnAnswer::from_adapter(&turn) })
    }
}

#[tokio::test]
async fn what_nobody_counted_cost_what_was_set_aside() {
    let status = async |usage: serde_json::Value| {
        let model: std::sync::Arc<dyn provost::port::Model> = std::sync::Arc::new(Reserving(usage));
        let put = provost::Tool::new("note/put", "Puts.", |_: crate::scene::Text| async { Ok(()) });
        let agent = Agent::new("scribe").budget("tokens", 100);
        let runtime = provost::Runtime::builder().model(model).tool(put).agent(agent).build().unwrap();
        runtime.start("Go.").await.unwrap().outcome().await.unwrap().status
    };
    assert_eq!(status(json!({})).await, RunStatus::BudgetExceeded);
    assert_eq!(status(json!({ "total_tokens": 10 })).await, RunStatus::Completed);
}

#[tokio::test]
async fn a_fan_out_past_its_limit_stops_the_turn_there() {
    let calls = |count: usize| {
        let calls: Vec<_> =
            (0..count).map(|number| ("note/put", json!({ "text": number.to_string() }))).collect();
        Script::new().calls(calls).say("Done.")
    };
    let agent = || Agent::new("scribe").budget("fan_out", 2);
    let scene = Scene::with(calls(3), agent(), Vec::new());
    assert_eq!(scene.run().await.status, RunStatus::BudgetExceeded);
    assert_eq!(scene.ledger.entries(), ["put 0", "put 1"]);
    let within = Scene::with(calls(2), agent(), Vec::new()).run().await;
    assert_eq!(within.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_run_whose_model_failed_can_be_taken_up_again() {
    let scene = Scene::new(Script::new().call("note/put", json!({ "text": "a" })));
    let failed = scene.run().await;
    assert_eq!(failed.status, RunStatus::Failed, "the script has no second turn");
    let told_again = scene.runtime.resume(&failed.run).await.unwrap().outcome().await.unwrap();
    assert_eq!(told_again.result, failed.result);
    let again = scene.runtime.reopen(&failed.run, Resume::default()).await.unwrap();
    let again = again.outcome().await.unwrap();
    assert_eq!(again.status, RunStatus::Failed);
    assert_eq!(scene.ledger.entries(), ["put a"], "what was done is not done again");
}

/// A model that makes one call a turn, so many times, and then says that it is done.
fn calls(turns: usize, arguments: impl Fn(usize) -> serde_json::Value) -> Script {
    (0..turns).fold(Script::new(), |script, turn| script.call("note/read", arguments(turn))).say("Done.")
}

#[tokio::test]
async fn a_run_that_spends_its_turns_in_the_middle_of_work_is_not_completed() {
    let text = |turn: usize| json!({ "text": turn.to_string() });
    let agent = || Agent::new("scribe").max_turns(2);
    let scene = Scene::with(calls(4, text), agent(), Vec::new());
    let cut = scene.run().await;
    assert_eq!(cut.status, RunStatus::BudgetExceeded);
    assert_eq!((&cut.result["budget"], &cut.result["completed"]), (&json!("turns"), &json!(false)));
    assert_eq!((&cut.result["status"], &cut.result["turn_count"]), (&json!("budget_exceeded"), &json!(2)));
    assert_eq!(cut.result["run_outcome"]["stop_reason"], "max_turns", "{}", cut.result["run_outcome"]);
    let done = Scene::with(calls(1, text), agent(), Vec::new()).run().await;
    assert_eq!((done.status, done.text()), (RunStatus::Completed, "Done."), "it needed no more turns");
    assert_eq!(done.result["run_outcome"]["stop_reason"], "natural");
    // More turns let it end, and those it used count.
    let reopen = async |ceiling: u64| {
        let resume = Resume { budgets: [("turns".to_owned(), ceiling)].into(), ..Resume::default() };
        scene.runtime.reopen(&cut.run, resume).await.unwrap().outcome().await.unwrap()
    };
    let still = reopen(3).await;
    assert_eq!((still.status, &still.result["turn_count"]), (RunStatus::BudgetExceeded, &json!(3)));
    let ended = reopen(9).await;
    assert_eq!((ended.status, ended.text()), (RunStatus::Completed, "Done."));
}

#[tokio::test]
async fn a_model_that_repeats_itself_is_stopped_unless_that_is_wanted() {
    let same = |_: usize| json!({ "text": "same" });
    let run = async |script: Script, agent: Agent| {
        let scene = Scene::with(script, agent, Vec::new());
        let outcome = scene.run().await;
        (outcome.status, scene.ledger.entries().len())
    };
    let agent = || Agent::new("scribe");
    assert_eq!(run(calls(30, same), agent()).await, (RunStatus::Stalled, 20));
    assert_eq!(run(calls(19, same), agent()).await, (RunStatus::Completed, 19), "polling is work");
    let other = |turn: usize| json!({ "text": (turn % 2).to_string() });
    assert_eq!(run(calls(30, other), agent()).await, (RunStatus::Completed, 30));
    assert_eq!(run(calls(30, same), agent().repetition_limit(5)).await, (RunStatus::Stalled, 5));
    assert_eq!(run(calls(30, same), agent().repetition_limit(0)).await, (RunStatus::Completed, 30));
}

#[tokio::test]
async fn a_tool_that_is_repeatable_may_be_repeated() {
    let run = async |tool: fn(provost::Tool) -> provost::Tool| {
        let poll = provost::Tool::new("job/poll", "Polls.", |_: crate::scene::Text| async { Ok("not yet") });
        let script = (0..30).fold(Script::new(), |script, _| script.call("job/poll", json!({ "text": "a" })));
        Scene::with(script.say("Done."), Agent::new("scribe"), vec![tool(poll)]).run().await.status
    };
    assert_eq!(run(provost::Tool::repeatable).await, RunStatus::Completed);
    assert_eq!(run(|tool| tool).await, RunStatus::Stalled);
}

#[tokio::test]
async fn a_model_whose_call_keeps_failing_is_told() {
    let fails = provost::Tool::new("job/fail", "Fails.", |_: crate::scene::Text| async {
        Err::<(), _>(provost::ToolError::new("no"))
    });
    let script = (0..3).fold(Script::new(), |script, _| script.call("job/fail", json!({ "text": "a" })));
    let outcome = Scene::with(script.say("Done."), Agent::new("scribe"), vec![fails]).run().await;
    let told = crate::scene::transcript(&outcome);
    let nudges =
        told.iter().filter(|line| line.contains("has failed 3 times with the same arguments")).count();
    assert_eq!((outcome.status, nudges), (RunStatus::Completed, 1), "{told:?}");
}

/// Lets time pass on the test's own clock.
async fn pass(time: std::time::Duration) {
    drop(tokio::time::timeout(time, std::future::pending::<()>()).await);
}

/// Takes its time for every turn, and asks for a call that a person must allow.
struct Slowly(std::time::Duration);

impl provost::port::Model for Slowly {
    fn turn<'a>(
        &'a self,
        request: provost::port::TurnRequest<'a>,
    ) -> provost::port::Boxed<'a, Result<provost::port::TurnAnswer, provost::port::ModelError>> {
        let call = json!({ "id": "1", "name": "note/write", "parameters": { "text": "a" } });
        let calls = if request.turn < 4 { vec![call] } else { Vec::new() };
        let turn = json!({ "content": "Done.", "tool_calls": calls });
        Box::pin(async move {
            pass(self.0).await;
            provost::port::TurnAnswer::from_adapter(&turn)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn working_time_counts_on_after_a_wait() {
    let status = async |seconds: u64| {
        let model: std::sync::Arc<dyn provost::port::Model> =
            std::sync::Arc::new(Slowly(std::time::Duration::from_secs(2)));
        let write = provost::Tool::new("note/write", "Writes.", |_: crate::scene::Text| async { Ok(()) });
        let agent = Agent::new("scribe").budget("wall_clock_seconds", seconds).repetition_limit(0);
        let builder = provost::Runtime::builder().model(model).tool(write.asks()).agent(agent);
        let runtime = builder.build().unwrap();
        let mut outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        while let Some(asked) = outcome.waits.first() {
            // A person who takes an hour costs nothing.
            pass(std::time::Duration::from_secs(3_600)).await;
            let yes = provost::Decision::approve("grace");
            outcome = runtime.decide(&asked.wait.to_string(), yes).await.unwrap().outcome().await.unwrap();
        }
        outcome.status
    };
    assert_eq!(status(5).await, RunStatus::BudgetExceeded);
    assert_eq!(status(60).await, RunStatus::Completed);
}
