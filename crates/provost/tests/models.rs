//! Models of tests, and retries for any model.

use std::sync::Arc;
use std::time::Duration;

use provost::port::{Boxed, ModelError, TurnAnswer, TurnRequest};
use provost::{
    Answer, Asked, Backoff, EventKind, FnModel, Model, Outcome, Recorder, RunStatus, Runtime, Script, Seq,
    Tool,
};
use serde_json::json;

use crate::scene::Text;

/// A model of one's own.
struct Own;

impl Model for Own {
    fn turn<'a>(&'a self, _: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async { TurnAnswer::from_adapter(&json!({ "content": "Mine." })) })
    }
}

#[tokio::test]
async fn a_model_may_be_shared_boxed_or_plain() {
    let shared: Arc<dyn Model> = Arc::new(Own);
    for builder in [
        Runtime::builder().model(Own),
        Runtime::builder().model(Arc::new(Own)),
        Runtime::builder().model(shared),
    ] {
        let outcome = builder.build().unwrap().start("Hi.").await.unwrap().outcome().await.unwrap();
        assert_eq!(outcome.text(), "Mine.");
    }
}

#[tokio::test]
async fn a_model_that_is_a_function_sees_what_it_is_asked() {
    let echo = FnModel::new(|asked: Asked| async move {
        match asked.turn {
            1 => Ok(Answer::say("Let me see.").call("kb/look", json!({ "text": "x" }))),
            _ => Ok(Answer::say(format!("{} with {:?}", asked.last_text(), asked.tools))),
        }
    });
    let look = Tool::new("kb/look", "Looks.", |_: Text| async { Ok("found") }).reads();
    let runtime = Runtime::builder().model(echo).tool(look).build().unwrap();
    let outcome = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.text(), r#""found" with ["kb/look"]"#);
    assert_eq!(outcome.result["messages"][1]["content"], "Let me see.", "words and a call in one turn");
}

#[tokio::test]
async fn a_recorder_remembers_every_turn() {
    let recorder = Recorder::new(Script::new().say("One.").say("unused"));
    let runtime = Runtime::builder().model(recorder.clone()).build().unwrap();
    runtime.start("First.").await.unwrap().outcome().await.unwrap();
    runtime.start("Second.").await.unwrap().outcome().await.unwrap();
    let texts: Vec<String> = recorder.asked().iter().map(|asked| asked.last_text().to_owned()).collect();
    assert_eq!(texts, ["First.", "Second."]);
}

async fn tried(script: Script, backoff: Backoff) -> (Outcome, usize) {
    let recorder = Recorder::new(script);
    let runtime = Runtime::builder().model(recorder.clone()).retries(backoff).build().unwrap();
    let run = runtime.start("Go.").await.unwrap();
    let outcome = run.outcome().await.unwrap();
    let mut events = runtime.events(run.run(), Seq(0)).await.unwrap();
    let mut failed = 0;
    while let Some(event) = events.next_event().await {
        failed += usize::from(matches!(event.event.kind, EventKind::ModelFailed(_)));
    }
    assert!(failed <= recorder.asked().len());
    (outcome, recorder.asked().len())
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_of_any_model_is_tried_again() {
    let lost = || ModelError::transient("network", "the connection was lost");
    let script = |times| Script::new().say("Here.").after_failures(times, lost());
    let (outcome, asked) = tried(script(2), Backoff::default()).await;
    assert_eq!((outcome.status, outcome.text(), asked), (RunStatus::Completed, "Here.", 3));
    let (outcome, asked) = tried(script(3), Backoff::default()).await;
    assert_eq!((outcome.status, asked), (RunStatus::Failed, 3), "three attempts and no more");
    assert_eq!(outcome.failure().unwrap().message, "the connection was lost");
    let (outcome, asked) = tried(script(4), Backoff { attempts: 5, ..Backoff::default() }).await;
    assert_eq!((outcome.status, asked), (RunStatus::Completed, 5));
    let once = Backoff { attempts: 1, ..Backoff::default() };
    assert_eq!(tried(script(1), once).await.1, 1);
    let after = Script::new().say("Here.").after_failures(1, lost().retry_after(Duration::from_secs(9)));
    assert_eq!(tried(after, Backoff::default()).await.0.text(), "Here.");
}

#[tokio::test]
async fn a_failure_that_is_final_is_not_tried_again() {
    let final_one = Script::new().say("Here.").after_failures(1, ModelError::new("auth", "the key is wrong"));
    let (outcome, asked) = tried(final_one, Backoff::default()).await;
    assert_eq!((outcome.status, asked), (RunStatus::Failed, 1));
    let (outcome, _) = tried(Script::new().fail(ModelError::new("auth", "no")), Backoff::default()).await;
    assert_eq!(outcome.failure().unwrap().code, "auth");
}

#[test]
fn pauses_double_up_to_the_longest() {
    use provost::port::Retry;
    let backoff = Backoff { attempts: 9, first: Duration::from_secs(1), longest: Duration::from_secs(5) };
    let pauses: Vec<_> =
        (1..=4).map(|failed| backoff.pause(failed, Retry::Later).unwrap().as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 5]);
    assert_eq!((backoff.pause(9, Retry::Later), backoff.pause(1, Retry::Never)), (None, None));
}
