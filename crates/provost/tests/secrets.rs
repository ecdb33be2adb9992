//! Secret arguments: shown to nobody, run while their process lives, and never guessed.

use provost::port::Stores;
use provost::{Decision, JsonSchema, Outcome, RunStatus, Runtime, Script, Tool};
use provost_runtime::memory::Storage;
use serde_json::{Value, json};

use crate::scene::{Ledger, results};

#[derive(serde::Deserialize, JsonSchema)]
struct Login {
    user: String,
    password: String,
}

/// A process over stores that others share, with a tool that asks first.
fn bank(stores: &Stores, arguments: &Value) -> (Runtime, Ledger) {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let login = Tool::new("bank/login", "Logs in.", move |login: Login| {
        noted.note(format!("{} {}", login.user, login.password));
        async { Ok(()) }
    });
    let model = Script::new().call("bank/login", arguments.clone()).say("Done.");
    let builder = Runtime::builder().model(model).tool(login.asks()).stores(stores.clone());
    (builder.build().unwrap(), ledger)
}

fn ada() -> Value {
    json!({ "user": "ada", "password": "hunter2" })
}

async fn allow(runtime: &Runtime, parameters: Option<Value>) -> Outcome {
    let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
    let parameters = parameters.and_then(|parameters| parameters.as_object().cloned());
    let decision = Decision { parameters, ..Decision::accept("grace") };
    runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap()
}

#[tokio::test]
async fn a_call_that_waits_keeps_its_secrets_while_its_process_lives() {
    let stores = Storage::stores();
    let (runtime, ledger) = bank(&stores, &ada());
    let waiting = runtime.start("Go.").unwrap().outcome().await.unwrap();
    assert_eq!(waiting.status, RunStatus::ApprovalRequired);
    assert!(!format!("{:?}", runtime.pending().await.unwrap()).contains("hunter2"));
    let told_again = runtime.resume(waiting.run).outcome().await.unwrap();
    assert_eq!(told_again.status, RunStatus::ApprovalRequired, "looking takes nothing away");
    let done = allow(&runtime, None).await;
    assert_eq!(results(&done), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["ada hunter2"]);
    assert!(!done.result.to_string().contains("hunter2"));
}

#[tokio::test]
async fn another_process_says_that_they_are_gone_and_runs_nothing() {
    let stores = Storage::stores();
    bank(&stores, &ada()).0.start("Go.").unwrap().outcome().await.unwrap();
    let (later, ledger) = bank(&stores, &ada());
    let done = allow(&later, None).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(
        results(&done),
        ["call-1-1 Not run: it had to wait, and secret arguments are kept nowhere. Call the tool again."]
    );
    let told = &done.result["tool_execution_results"][0]["result"]["metadata"]["error_type"];
    assert_eq!(told, "arguments_lost");
    assert!(ledger.entries().is_empty());
}

#[tokio::test]
async fn whoever_allows_it_can_say_them_again() {
    let stores = Storage::stores();
    bank(&stores, &ada()).0.start("Go.").unwrap().outcome().await.unwrap();
    let (later, ledger) = bank(&stores, &ada());
    let done = allow(&later, Some(json!({ "user": "ada", "password": "hunter3" }))).await;
    assert_eq!(results(&done), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["ada hunter3"]);
    assert!(!done.result.to_string().contains("hunter3"));
}

#[tokio::test]
async fn the_mark_in_place_of_a_secret_is_none() {
    let told = "call-1-1 The arguments of bank/login do not fit: /password: [redacted] stands for a secret \
                that is kept nowhere: say it again";
    let from_a_record = json!({ "user": "ada", "password": "[redacted]" });
    let (runtime, ledger) = bank(&Storage::stores(), &ada());
    runtime.start("Go.").unwrap().outcome().await.unwrap();
    assert_eq!(results(&allow(&runtime, Some(from_a_record.clone())).await), [told], "by a person");
    let (runtime, of_model) = bank(&Storage::stores(), &from_a_record);
    assert_eq!(results(&runtime.start("Go.").unwrap().outcome().await.unwrap()), [told], "by the model");
    assert!(ledger.entries().is_empty() && of_model.entries().is_empty());

    let (runtime, ledger) = bank(&Storage::stores(), &ada());
    runtime.start("Go.").unwrap().outcome().await.unwrap();
    let control = json!({ "user": "[redacted]", "password": "hunter2" });
    assert_eq!(results(&allow(&runtime, Some(control)).await), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["[redacted] hunter2"], "where no secret belongs they are only words");
}
