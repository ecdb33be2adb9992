//! Long transcripts: older messages give way to something smaller, and what was done is not forgotten.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use provost::port::{Boxed, HostError, Summariser};
use provost::{Agent, Outcome, Runtime, Script, Tool};
use provost_contract::Message;
use provost_contract::compaction::Summary;
use provost_contract::json::Object;
use serde_json::json;

use crate::scene::{Text, transcript};

/// Sums up everything in so many words, and counts how often.
struct Words(usize, AtomicUsize);

impl Summariser for Words {
    fn summarise<'a>(
        &'a self,
        _messages: &'a [Message],
        _context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let text = "word ".repeat(self.0);
        Box::pin(async move {
            let summary = Summary::new(&text).map_err(|error| HostError(error.message().to_owned()))?;
            Ok(summary.costing(json!({ "total_tokens": 60 }).as_object().cloned().unwrap_or_default()))
        })
    }
}

async fn run(words: usize) -> Outcome {
    counted(words, 1_000).await.0
}

/// What came of a run that may use so many tokens, and how many summaries it took.
async fn counted(words: usize, tokens: u64) -> (Outcome, usize) {
    let summariser = Arc::new(Words(words, AtomicUsize::new(0)));
    let put = Tool::new("note/put", "Puts.", |text: Text| async move { Ok(text.text) });
    let model = (0..6).fold(Script::new(), |script, number| {
        script.call(
            "note/put",
            json!({ "text": format!("line {number} of a text that is long enough to matter") }),
        )
    });
    let policy = json!({ "enabled": true, "max_messages": 8, "recent_messages": 2 });
    let agent = Agent::new("scribe").instructions("You keep notes.").option("compaction_policy", policy);
    let agent = agent.budget("tokens", tokens);
    let runtime = Runtime::builder()
        .model(model.say("Done."))
        .tool(put)
        .agent(agent)
        .summariser(summariser.clone())
        .build()
        .unwrap();
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    (outcome, summariser.1.load(Ordering::Relaxed))
}

#[tokio::test]
async fn what_was_done_is_told_from_the_record() {
    let outcome = run(3).await;
    let said = transcript(&outcome).join("\n");
    assert!(said.contains("Done, do not repeat (4 in all):"), "{said}");
    assert!(said.contains("- turn 1: note/put {\"text\":\"line 0"), "{said}");
    assert!(transcript(&outcome).len() < 14, "{said}");
}

/// A summary takes the place of what was said, never of what the agent was told.
#[tokio::test]
async fn the_instructions_are_not_summed_up() {
    let outcome = run(3).await;
    let said = transcript(&outcome);
    assert!(said[0].contains("You keep notes."), "{said:?}");
    assert!(said[1].contains("word word word"), "{said:?}");
}

#[tokio::test]
async fn a_summary_that_is_not_smaller_is_not_taken() {
    let (outcome, summaries) = counted(2_000, 1_000).await;
    assert_eq!(summaries, 2, "not one a turn: it is tried again when there is half as much more");
    assert_eq!(transcript(&outcome).len(), 15, "nothing gave way");
    let events = outcome.result["events"].to_string();
    assert!(events.contains("\"compaction_refused\"") && events.contains("\"not_smaller\""), "{events}");
}

/// Summaries are asked for by the engine, and paid like everything else, taken or not.
#[tokio::test]
async fn a_summary_counts_against_the_budget() {
    let (within, summaries) = counted(2_000, 121).await;
    assert_eq!((within.status, summaries), (provost::RunStatus::Completed, 2));
    assert_eq!(within.result["usage"]["total_tokens"], 120, "and the result says so");
    let (over, summaries) = counted(2_000, 60).await;
    assert_eq!((over.status, summaries), (provost::RunStatus::BudgetExceeded, 1));
    assert_eq!(transcript(&over).len(), 10, "the model is not asked any more");
    let (one_more, summaries) = counted(2_000, 61).await;
    assert_eq!((transcript(&one_more).len(), summaries), (14, 2), "one token more lasts until the next");
}

/// Never ends, and tells when it began.
#[derive(Default)]
struct Endless(tokio::sync::Notify);

impl Summariser for Endless {
    fn summarise<'a>(
        &'a self,
        _messages: &'a [Message],
        _context: &'a Object,
    ) -> Boxed<'a, Result<Summary, HostError>> {
        self.0.notify_one();
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_cancel_does_not_wait_for_a_summary() {
    let put = Tool::new("note/put", "Puts.", |text: Text| async move { Ok(text.text) });
    let model = (0..6).fold(Script::new(), |script, _| script.call("note/put", json!({ "text": "a" })));
    let policy = json!({ "enabled": true, "max_messages": 4, "recent_messages": 2 });
    let summariser = Arc::new(Endless::default());
    let runtime = Runtime::builder()
        .model(model)
        .tool(put)
        .agent(Agent::new("scribe").option("compaction_policy", policy))
        .summariser(summariser.clone())
        .build()
        .unwrap();
    let run = runtime.start("Go.").await.unwrap();
    let name = run.run().clone();
    summariser.0.notified().await;
    runtime.cancel(&name, "ada", "enough").await.unwrap();
    assert_eq!(run.outcome().await.unwrap().status, provost::RunStatus::Cancelled);
}
