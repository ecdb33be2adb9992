//! Secret arguments: shown to no one, sealed while their call waits, and never guessed.

use std::sync::Arc;

use provost::{
    ClientResult, DecideError, Decision, JsonSchema, MemoryStore, Outcome, RunStatus, Runtime, Script,
    SealKey, Seq, Store, Tool,
};
use provost_runtime::system::SystemClock;
use serde_json::{Value, json};

use crate::scene::{Ledger, results, waits_for};

#[derive(serde::Deserialize, JsonSchema)]
struct Login {
    user: String,
    password: String,
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

/// A process over a store that others share, with a tool that asks first.
fn bank(store: &Arc<dyn Store>, key: Option<&SealKey>, arguments: &Value) -> (Runtime, Ledger) {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let login = Tool::new("bank/login", "Logs in.", move |login: Login| {
        noted.note(format!("{} {}", login.user, login.password));
        async { Ok(()) }
    });
    let model = Script::new().call("bank/login", arguments.clone()).say("Done.");
    let mut builder = Runtime::builder().model(model).tool(login.asks()).store(store.clone());
    if let Some(key) = key {
        builder = builder.seal_key(key.clone());
    }
    (builder.build().unwrap(), ledger)
}

fn ada() -> Value {
    json!({ "user": "ada", "password": "hunter2" })
}

async fn start(runtime: &Runtime) -> Outcome {
    runtime.start("Go.").await.unwrap().outcome().await.unwrap()
}

async fn allow(runtime: &Runtime, parameters: Option<Value>) -> Result<Outcome, DecideError> {
    let wait = runtime.pending().await.unwrap()[0].wait.to_string();
    let parameters = parameters.and_then(|parameters| parameters.as_object().cloned());
    let decision = Decision { parameters, ..Decision::approve("grace") };
    Ok(runtime.decide(&wait, decision).await?.outcome().await.unwrap())
}

/// Everything that the store has of a run, sealed arguments apart.
async fn stored(store: &Arc<dyn Store>, outcome: &Outcome) -> String {
    let run = &outcome.run;
    let records = store.journal(run.clone(), Seq(0), 1_000).await.unwrap();
    let signals = store.signals(run.clone(), Default::default(), 1_000).await.unwrap();
    let waits = store.waits(Default::default(), None, 1_000).await.unwrap();
    format!("{records:?} {signals:?} {waits:?} {:?}", store.run(run.clone()).await.unwrap())
}

#[tokio::test]
async fn a_call_that_waits_has_its_secrets_and_shows_them_to_no_one() {
    let (store, key) = (memory(), SealKey::generate().unwrap());
    let (runtime, ledger) = bank(&store, Some(&key), &ada());
    let waiting = start(&runtime).await;
    assert_eq!(waits_for(&waiting), ["approval call-1-1"]);
    assert!(!format!("{:?}", runtime.pending().await.unwrap()).contains("hunter2"));
    let told_again = runtime.resume(&waiting.run).await.unwrap().outcome().await.unwrap();
    assert_eq!(told_again.status, RunStatus::Waiting, "looking takes nothing away");
    let sealed = store.sealed(waiting.run.clone(), waiting.waits[0].action).await.unwrap().unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("hunter2"));
    let done = allow(&runtime, None).await.unwrap();
    assert_eq!(results(&done), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["ada hunter2"]);
    assert!(!done.result.to_string().contains("hunter2"));
    assert!(!stored(&store, &done).await.contains("hunter2"));
    let left = store.sealed(waiting.run, waiting.waits[0].action).await.unwrap();
    assert_eq!(left, None, "what is not needed any more is deleted");
}

/// Another process goes on with them if it has the key; with another key it says that they are gone.
#[tokio::test]
async fn another_process_opens_them_with_the_same_key_and_guesses_nothing_without_it() {
    let key = SealKey::generate().unwrap();
    let lost = "call-1-1 Not run: its secret arguments were lost with the process. Call the tool again.";
    let cases = [(key.clone(), "call-1-1 ok", true), (SealKey::generate().unwrap(), lost, false)];
    for (other, told, ran) in cases {
        let store = memory();
        let (first, _) = bank(&store, Some(&key), &ada());
        start(&first).await;
        first.drain().await;
        let (later, ledger) = bank(&store, Some(&other), &ada());
        let done = allow(&later, None).await.unwrap();
        assert_eq!((done.status, results(&done)), (RunStatus::Completed, vec![told.to_owned()]));
        let expected: Vec<String> = ran.then(|| "ada hunter2".to_owned()).into_iter().collect();
        assert_eq!(ledger.entries(), expected);
        assert!(!stored(&store, &done).await.contains("hunter2"));
    }
}

/// A question that could not be acted upon is not asked.
#[tokio::test]
async fn without_a_key_the_call_is_refused_before_a_person_is_asked() {
    let store = memory();
    let (runtime, ledger) = bank(&store, None, &ada());
    let done = start(&runtime).await;
    assert_eq!(done.status, RunStatus::Completed);
    let told = "call-1-1 Not run: it must wait for an approval, its arguments are secret, and there is no key to seal \
                them with.";
    assert_eq!(results(&done), [told]);
    let code = &done.result["tool_execution_results"][0]["result"]["metadata"]["error_type"];
    assert_eq!(code, "seal_unavailable");
    assert!(ledger.entries().is_empty());
    assert!(!stored(&store, &done).await.contains("hunter2"));
}

#[tokio::test]
async fn whoever_allows_it_can_give_other_secrets() {
    let (store, key) = (memory(), SealKey::generate().unwrap());
    let (first, _) = bank(&store, Some(&key), &ada());
    start(&first).await;
    first.drain().await;
    let changed = || Some(json!({ "user": "ada", "password": "hunter3" }));
    let (keyless, unused) = bank(&store, None, &ada());
    let refused = allow(&keyless, changed()).await;
    assert!(matches!(refused, Err(DecideError::NoSealKey)), "{refused:?}");
    assert!(unused.entries().is_empty());
    let (later, ledger) = bank(&store, Some(&key), &ada());
    let done = allow(&later, changed()).await.unwrap();
    assert_eq!(results(&done), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["ada hunter3"]);
    assert!(!done.result.to_string().contains("hunter3"));
    assert!(!stored(&store, &done).await.contains("hunter3"));
}

#[tokio::test]
async fn the_mark_in_place_of_a_secret_is_none() {
    let fault = "/password: [redacted] stands for a secret that is not recorded: say it again";
    let from_a_record = json!({ "user": "ada", "password": "[redacted]" });
    let key = SealKey::generate().unwrap();
    let (runtime, ledger) = bank(&memory(), Some(&key), &ada());
    start(&runtime).await;
    let refused = allow(&runtime, Some(from_a_record.clone())).await;
    let Err(DecideError::Arguments { tool, faults }) = &refused else { panic!("{refused:?}") };
    assert_eq!((tool.as_str(), faults), ("bank/login", &vec![fault.to_owned()]), "by a person");
    let (other, of_model) = bank(&memory(), Some(&key), &from_a_record);
    let told = format!("call-1-1 The arguments of bank/login do not fit: {fault}");
    assert_eq!(results(&start(&other).await), [told], "by the model");
    assert!(ledger.entries().is_empty() && of_model.entries().is_empty());

    let control = json!({ "user": "[redacted]", "password": "hunter2" });
    assert_eq!(results(&allow(&runtime, Some(control)).await.unwrap()), ["call-1-1 ok"]);
    assert_eq!(ledger.entries(), ["[redacted] hunter2"], "where no secret belongs they are only words");
}

/// The client that executes a call gets its secrets; records do not.
#[tokio::test]
async fn a_client_gets_the_secrets_of_the_call_that_it_executes() {
    let (store, key) = (memory(), SealKey::generate().unwrap());
    let model = Script::new().call("client/login", ada()).say("Done.");
    let login = Tool::for_client::<Login>("client/login", "Logs in.");
    let builder = Runtime::builder().model(model).tool(login).store(store.clone()).seal_key(key);
    let runtime = builder.build().unwrap();
    let waiting = start(&runtime).await;
    let request = runtime.client_requests().await.unwrap().remove(0);
    assert_eq!(Value::from(request.arguments), ada());
    assert!(!waiting.result.to_string().contains("hunter2"));
    let submitted = runtime.submit(&request.wait.to_string(), ClientResult::ok("in")).await.unwrap();
    let done = submitted.outcome().await.unwrap();
    assert_eq!((done.status, results(&done)), (RunStatus::Completed, vec!["call-1-1 ok".to_owned()]));
    assert!(!stored(&store, &done).await.contains("hunter2"));
}

/// The second call waits for the first one and is not asked about yet; another process goes on with both.
#[tokio::test]
async fn secrets_of_a_call_that_waits_for_another_outlive_the_process() {
    let calls = || {
        let first = ("note/put", json!({ "text": "first" }));
        Script::new().calls([first, ("bank/login", ada())]).say("Done.")
    };
    for (with_key, told) in [(true, ["call-1-1 ok", "call-1-2 ok"]), (false, ["call-1-1 ok", ""])] {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(SystemClock)));
        let key = SealKey::generate().unwrap();
        let ledger = Ledger::default();
        let process = || {
            let noted = ledger.clone();
            let login = Tool::new("bank/login", "Logs in.", move |login: Login| {
                noted.note(format!("{} {}", login.user, login.password));
                async { Ok(()) }
            });
            let put = Tool::new("note/put", "Puts.", |_: crate::scene::Text| async { Ok(()) });
            let builder = Runtime::builder().model(calls()).tool(login.asks()).tool(put.asks());
            let builder = builder.store(store.clone());
            if with_key { builder.seal_key(key.clone()) } else { builder }.build().unwrap()
        };
        let run = process().start("Go.").await.unwrap().outcome().await.unwrap().run;
        let later = process();
        let mut outcome = later.outcome(&run).await.unwrap();
        while let Some(asked) = outcome.waits.first() {
            let yes = later.decide(&asked.wait.to_string(), Decision::approve("grace")).await.unwrap();
            outcome = yes.outcome().await.unwrap();
        }
        let results = results(&outcome);
        assert_eq!(results[0], told[0]);
        assert_eq!(results[1] == "call-1-2 ok", with_key, "{}", results[1]);
        assert_eq!(ledger.entries(), if with_key { vec!["ada hunter2".to_owned()] } else { Vec::new() });
        assert!(!outcome.result.to_string().contains("hunter2"));
    }
}

/// A tool that repeats its arguments puts no secret into the record, whether it succeeds or fails.
#[tokio::test]
async fn what_a_tool_repeats_of_its_secrets_is_not_recorded() {
    for fails in [false, true] {
        let store = memory();
        let login = Tool::new("bank/login", "Logs in.", move |login: Login| async move {
            let said = format!("{} may not use {}", login.user, login.password);
            if fails {
                Err(std::io::Error::other(said).into())
            } else {
                Ok(json!({ "said": said, "echo": login.password }))
            }
        });
        let model = Script::new().call("bank/login", ada()).say("Done.");
        let runtime = Runtime::builder().model(model).tool(login).store(store.clone()).build().unwrap();
        let done = start(&runtime).await;
        assert_eq!(
            results(&done),
            [if fails { "call-1-1 ada may not use [redacted]" } else { "call-1-1 ok" }]
        );
        let (record, stored) = (done.result.to_string(), stored(&store, &done).await);
        assert!(!record.contains("hunter2") && !stored.contains("hunter2"), "{record}\n{stored}");
        assert!(record.contains("ada may not use [redacted]"), "the rest is there: {record}");
    }
}
