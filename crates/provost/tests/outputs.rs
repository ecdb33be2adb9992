//! Typed answers: beside tools, checked against their schema, and asked for again with the reasons.

use provost::{
    Agent, Answer, EventKind, JsonSchema, OutputError, Recorder, Request, RunStatus, Runtime, Script,
    StartError, Tool,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::scene::Text;

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Report {
    city: String,
    beds: u32,
}

fn rome() -> Report {
    Report { city: "Rome".to_owned(), beds: 3 }
}

fn look() -> Tool {
    Tool::new("kb/look", "Looks.", |_: Text| async { Ok(3) }).reads()
}

fn runtime(script: Script) -> (Recorder, Runtime) {
    let recorder = Recorder::new(script);
    let runtime = Runtime::builder().model(recorder.clone()).tool(look()).build().unwrap();
    (recorder, runtime)
}

async fn report(runtime: &Runtime) -> provost::Outcome {
    runtime.start(Request::new("Where?").output::<Report>()).await.unwrap().outcome().await.unwrap()
}

/// The codes of the refused responses of a run, and whether the model was asked again.
async fn refusals(runtime: &Runtime, outcome: &provost::Outcome) -> Vec<(String, bool)> {
    let mut events = runtime.events(&outcome.run, provost::Seq(0)).await.unwrap();
    let mut refused = Vec::new();
    while let Some(event) = events.next_event().await {
        if let EventKind::ResponseRefused(response) = &event.event.kind {
            refused.push((response.code.clone(), response.retry));
        }
    }
    refused
}

#[tokio::test]
async fn an_answer_of_a_type_comes_after_calls() {
    let script = Script::new().call("kb/look", json!({ "text": "beds" })).answer(Answer::json(&rome()));
    let (recorder, runtime) = runtime(script);
    let outcome = report(&runtime).await;
    assert_eq!(outcome.output::<Report>().unwrap(), rome());
    assert_eq!(outcome.result["structured_output"], json!({ "city": "Rome", "beds": 3 }));
    assert_eq!(refusals(&runtime, &outcome).await, []);
    let asked = &recorder.asked()[0];
    let schema = &asked.output.as_ref().unwrap()["schema"];
    assert_eq!((asked.tools.len(), &schema["required"]), (1, &json!(["city", "beds"])));
    assert_eq!(
        (&schema["additionalProperties"], &asked.output.as_ref().unwrap()["strict"]),
        (&json!(false), &json!(true))
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_goes_back_with_the_reasons() {
    for wrong in
        [r#"{"city":"Rome"}"#, r#"{"city":1,"beds":3}"#, r#"{"city":"Rome","beds":3,"x":1}"#, "In Rome."]
    {
        let script = Script::new().say(wrong).answer(Answer::say(format!("```json\n{}\n```", json!(rome()))));
        let (recorder, runtime) = runtime(script);
        let outcome = report(&runtime).await;
        assert_eq!(outcome.output::<Report>().unwrap(), rome(), "{wrong}");
        assert_eq!(refusals(&runtime, &outcome).await, [("output_schema".to_owned(), true)], "{wrong}");
        let asked = recorder.asked();
        assert!(asked[1].last_text().contains("It does not fit: "), "{}", asked[1].last_text());
        assert!(asked[1].last_text().contains(r#""required":["city","beds"]"#), "{}", asked[1].last_text());
    }
}

#[tokio::test]
async fn an_answer_that_never_fits_is_an_error() {
    let (recorder, runtime) =
        runtime(Script::new().say("Rome.").say("Rome!").say("Rome?").answer(Answer::json(&rome())));
    let outcome = report(&runtime).await;
    assert_eq!((outcome.status, recorder.asked().len()), (RunStatus::Failed, 3), "{}", outcome.result);
    let codes = refusals(&runtime, &outcome).await;
    assert_eq!(codes.iter().map(|(_, retry)| *retry).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(outcome.failure().unwrap().code, "output_schema");
    match outcome.output::<Report>() {
        Err(OutputError::NotCompleted { status: RunStatus::Failed, reason: Some(reason) }) => {
            assert!(reason.contains("it is no JSON"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_tools_and_without_a_request_for_a_type() {
    let runtime =
        Runtime::builder().model(Script::new().say("{}").answer(Answer::json(&rome()))).build().unwrap();
    let outcome = report(&runtime).await;
    assert_eq!(outcome.output::<Report>().unwrap(), rome());
    let outcome = runtime.start("Where?").await.unwrap().outcome().await.unwrap();
    assert!(matches!(outcome.output::<Report>(), Err(OutputError::NotAsked)));
    assert_eq!(outcome.status, RunStatus::Completed, "nothing is checked that nobody asked for");
}

#[tokio::test]
async fn a_type_with_optional_fields_is_not_strict_and_another_type_is_an_error() {
    #[derive(Deserialize, JsonSchema)]
    struct Loose {
        city: Option<String>,
    }
    let recorder = Recorder::new(Script::new().say("{}"));
    let runtime = Runtime::builder().model(recorder.clone()).build().unwrap();
    let request = Request::new("Where?").output::<Loose>();
    let outcome = runtime.start(request).await.unwrap().outcome().await.unwrap();
    assert_eq!(recorder.asked()[0].output.as_ref().unwrap()["strict"], json!(false));
    assert!(outcome.output::<Loose>().unwrap().city.is_none());
    assert!(matches!(outcome.output::<Report>(), Err(OutputError::OtherType(_))));
}

#[tokio::test]
async fn a_schema_is_read_when_the_run_is_started() {
    let (_, runtime) = runtime(Script::new().say("7"));
    for wrong in [json!([]), json!("object"), json!({ "type": 7 })] {
        let refused = runtime.start(Request::new("Go.").output_schema(wrong.clone())).await.err();
        assert!(matches!(refused, Some(StartError::Invalid(_))), "{wrong}: {refused:?}");
    }
    let request = Request::new("Go.").output_schema(json!({ "type": "integer" }));
    let outcome = runtime.start(request).await.unwrap().outcome().await.unwrap();
    assert_eq!(outcome.output::<Value>().unwrap(), json!(7));
    let option = Request::new("Go.").option("structured_output", json!({ "schema": {} }));
    let refused = runtime.start(option).await.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("use Request::output"), "{refused}");
}

#[tokio::test]
async fn turns_spent_on_unfit_answers_are_turns() {
    let recorder = Recorder::new(Script::new().say("no").answer(Answer::json(&rome())));
    let agent = Agent::new("clerk").max_turns(1);
    let runtime = Runtime::builder().model(recorder.clone()).agent(agent).build().unwrap();
    let outcome = report(&runtime).await;
    assert_eq!((outcome.status, recorder.asked().len()), (RunStatus::BudgetExceeded, 1));
}

#[tokio::test]
async fn a_hook_after_the_model_does_not_spare_the_check() {
    let recorder = Recorder::new(Script::new().say("no").answer(Answer::json(&rome())));
    let builder = Runtime::builder().model(recorder.clone()).tool(look());
    let runtime = builder.after_model(|_| async { provost::Guard::Pass }).build().unwrap();
    let outcome = report(&runtime).await;
    assert_eq!(outcome.output::<Report>().unwrap(), rome());
    assert_eq!(refusals(&runtime, &outcome).await, [("output_schema".to_owned(), true)]);
}
