//! Area `conversation-loop`: whole runs over a scripted host.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_runtime::host::{ContinueBy, Host};
use provost_runtime::port::MediatedCall;
use provost_runtime::system::ManualClock;
use serde_json::{Value, json};

use super::{Answer, input, list, object, unknown_operation};
use crate::conformance::scripted::{
    Around, Protocol, Script, ScriptedCompletion, ScriptedContinue, ScriptedDiagnostics, ScriptedExecutor,
    ScriptedInterrupts, ScriptedLock, ScriptedMediator, ScriptedModel, ScriptedPersister, ScriptedSink,
    ScriptedSummariser, clock, continue_by, drive, executors,
};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "run" => loop_run(case),
        _ => unknown_operation(op),
    }
}

/// The scripted parts a case configures.
struct Parts {
    model: Arc<ScriptedModel>,
    sink: Arc<ScriptedSink>,
    executor: Option<Arc<ScriptedExecutor>>,
    mediator: Option<Arc<ScriptedMediator>>,
    completion: Option<Arc<ScriptedCompletion>>,
    diagnostics: Option<Arc<ScriptedDiagnostics>>,
    interrupts: Option<Arc<ScriptedInterrupts>>,
    continuation: Option<Arc<ScriptedContinue>>,
    summariser: Option<Arc<ScriptedSummariser>>,
    lock: Option<Arc<ScriptedLock>>,
    persister: Option<Arc<ScriptedPersister>>,
}

fn loop_run(case: &Value) -> Answer {
    let options = object(case, "options");
    let parts = Parts::of(case, &options);
    let clock = clock();
    let (host, around) = (parts.host(&clock, &options), parts.around(&options));
    let result = drive(&clock, &host, &around, (list(case, "messages"), &options))?;
    Ok(json!({ "result": result, "events": parts.sink.events.asked(), "trace": parts.trace(&result) }))
}

fn script(options: &Object, key: &str) -> Option<Script> {
    let answers = options.get(key)?;
    Some(Script::of(answers.as_array().map_or(&[], Vec::as_slice)))
}

impl Parts {
    fn of(case: &Value, options: &Object) -> Self {
        let adapter = options.get("provider_adapter") == Some(&Value::Bool(true));
        let word = |key: &str| options.get(key).and_then(Value::as_str);
        let sink = Arc::new(ScriptedSink::default());
        let persister = word("persister").map(|_| ScriptedPersister {
            script: Script::default(),
            results: Script::default(),
            sink: sink.clone(),
        });
        let mediator = script(options, "pre_tool_mediator");
        let continuation = options.get("should_continue").filter(|given| !given.is_null());
        Self {
            model: Arc::new(ScriptedModel {
                turns: Script::of(list(case, "turns")),
                protocol: if adapter { Protocol::Adapter } else { Protocol::Host },
            }),
            executor: case.get("executor").map(|script| Arc::new(ScriptedExecutor::of(script))),
            mediator: mediator
                .map(|script| Arc::new(ScriptedMediator { script, by_tool: Object::new(), note: mediated })),
            completion: script(options, "completion_policy")
                .map(|script| Arc::new(ScriptedCompletion(script))),
            diagnostics: script(options, "post_tool_result_diagnostics")
                .map(|script| Arc::new(ScriptedDiagnostics(script))),
            interrupts: script(options, "interrupt_source")
                .map(|script| Arc::new(ScriptedInterrupts(script))),
            continuation: continuation.map(|given| {
                let answers = given.as_array().map_or(&[][..], Vec::as_slice);
                Arc::new(ScriptedContinue { script: Script::of(answers), otherwise: given.is_string() })
            }),
            summariser: script(options, "summarizer").map(|script| Arc::new(ScriptedSummariser(script))),
            lock: word("lock")
                .map(|word| Arc::new(ScriptedLock { word: word.to_owned(), script: Script::default() })),
            persister: persister.map(Arc::new),
            sink,
        }
    }

    fn host(&self, clock: &Arc<ManualClock>, options: &Object) -> Host {
        let mut host = Host::new(clock.clone(), self.model.clone());
        host.executors = self.executor.as_ref().map(executors);
        host.mediator = self.mediator.clone().map(|part| part as _);
        host.completion = self.completion.clone().map(|part| part as _);
        host.diagnostics = self.diagnostics.clone().map(|part| part as _);
        host.interrupts = self.interrupts.clone().map(|part| part as _);
        host.continuation = match options.get("should_continue") {
            Some(Value::Null) => ContinueBy::Nobody,
            _ => continue_by(self.continuation.as_ref()),
        };
        host.summariser = self.summariser.clone().map(|part| part as _);
        host
    }

    fn around(&self, options: &Object) -> Around {
        let watched = options.get("observer").and_then(Value::as_str) != Some("none");
        Around {
            lock: self.lock.clone(),
            persister: self.persister.clone(),
            sink: watched.then(|| self.sink.clone()),
            requests: None,
        }
    }

    fn trace(&self, result: &Value) -> Value {
        let persisted = self.persister.as_ref().map(|persister| persisted(persister, result));
        let asked = [
            ("turn_runner", Some(self.model.turns.asked())),
            ("executor", self.executor.as_ref().map(|part| part.calls.asked())),
            ("pre_tool_mediator", self.mediator.as_ref().map(|part| part.script.asked())),
            ("completion_policy", self.completion.as_ref().map(|part| part.0.asked())),
            ("post_tool_result_diagnostics", self.diagnostics.as_ref().map(|part| part.0.asked())),
            ("interrupt_source", self.interrupts.as_ref().map(|part| part.0.asked())),
            ("should_continue", self.continuation.as_ref().map(|part| part.script.asked())),
            ("summarizer", self.summariser.as_ref().map(|part| part.0.asked())),
            ("lock", self.lock.as_ref().map(|part| part.script.asked())),
            ("persister", persisted),
        ];
        asked.into_iter().filter_map(|(key, asked)| Some((key.to_owned(), Value::Array(asked?)))).collect()
    }
}

fn persisted(persister: &ScriptedPersister, result: &Value) -> Vec<Value> {
    let mut asked = persister.script.asked();
    for (entry, given) in asked.iter_mut().zip(persister.results.asked()) {
        if let Some(entry) = entry.as_object_mut() {
            entry.insert("same_as_returned".into(), (given == *result).into());
        }
    }
    asked
}

fn mediated(call: &MediatedCall<'_>) -> Value {
    let results = call.prior_results();
    let of_turn = results.iter().filter(|result| *input(result, "turn_count") == json!(call.turn)).count();
    json!({
        "tool_name": call.tool_name,
        "tool_call_id": call.tool_call_id,
        "parameters": call.parameters,
        "turn": call.turn,
        "raw_tool_call": call.raw_tool_call,
        "prepared": call.prepared.is_some(),
        "declared": call.declaration.is_some(),
        "message_count": call.messages.len(),
        "last_message_type": call.messages.messages().next_back().map(|message| json!(message.kind)),
        "prior_tool_results": results.len(),
        "prior_mediated_results": of_turn,
    })
}
