//! Area `tool-mediation`: the calls of one turn, carried out by a whole run.
//!
//! A case starts in the middle of a run. Turns before its own are played by a host that managed them
//! itself, so that earlier results are known; the run ends after the turn of the case.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_runtime::host::{ContinueBy, Host};
use provost_runtime::port::{CompletionPolicy, MediatedCall};
use provost_runtime::system::ManualClock;
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};
use crate::conformance::scripted::{
    Around, Protocol, Script, ScriptedCompletion, ScriptedContinue, ScriptedExecutor, ScriptedMediator,
    ScriptedModel, ScriptedSink, clock, drive, executors,
};

/// Every turn before the one of a case is played, so a case starts early in its run.
const TURN_MAX: u64 = 100;

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "mediate" => mediate(case),
        _ => unknown_operation(op),
    }
}

struct Parts {
    executor: Arc<ScriptedExecutor>,
    mediator: Option<Arc<ScriptedMediator>>,
    continuation: Arc<ScriptedContinue>,
    requests: Option<Arc<Script>>,
    sink: Arc<ScriptedSink>,
}

fn mediate(case: &Value) -> Answer {
    let turn = input(case, "turn").as_u64().unwrap_or(1).clamp(1, TURN_MAX);
    let earlier = usize::try_from(turn.saturating_sub(1)).unwrap_or_default();
    let parts = Parts::of(case, earlier);
    let clock = clock();
    let host = parts.host(&clock, case, earlier);
    let around =
        Around { sink: Some(parts.sink.clone()), requests: parts.requests.clone(), ..Around::default() };
    let options = json::into_object(json!({
        "max_turns": turn + 1,
        "context": object(case, "context"),
        "tool_declarations": input(case, "tools"),
        "tool_call_rules": input(case, "tool_call_rules"),
        "budgets": budgets(case),
    }));
    let result = drive(&clock, &host, &around, (list(case, "transcript"), &options))?;
    Ok(parts.answer(case, &result, earlier))
}

fn budgets(case: &Value) -> Value {
    let ceilings = object(case, "budgets").into_iter();
    ceilings.map(|(name, ceiling)| json!({ "name": name, "ceiling": ceiling })).collect()
}

/// The turns of the run: those before, then the one of the case.
fn turns(case: &Value, earlier: usize) -> Vec<Value> {
    let mut prior = list(case, "prior_tool_results").to_vec();
    for result in prior.iter_mut().filter_map(Value::as_object_mut) {
        for key in ["result", "parameters"] {
            result.entry(key).or_insert_with(|| json!({}));
        }
    }
    let mut turns: Vec<Value> = (0..earlier).map(|_| json!({ "messages": "$transcript" })).collect();
    if let Some(first) = turns.first_mut().and_then(Value::as_object_mut) {
        first.insert("tool_execution_results".into(), Value::Array(prior));
    }
    let mut own = object(case, "turn_result");
    own.entry("tool_calls").or_insert_with(|| json!([]));
    turns.push(Value::Object(own));
    turns
}

impl Parts {
    fn of(case: &Value, earlier: usize) -> Self {
        let decisions = case.get("decisions").and_then(Value::as_object);
        let going_on = vec![Value::Bool(true); earlier];
        Self {
            executor: Arc::new(ScriptedExecutor::of(input(case, "executor"))),
            mediator: decisions.map(|by_tool| {
                Arc::new(ScriptedMediator {
                    script: Script::default(),
                    by_tool: by_tool.clone(),
                    note: mediated,
                })
            }),
            continuation: Arc::new(ScriptedContinue { script: Script::of(&going_on), otherwise: false }),
            requests: (*input(case, "store") == json!(true)).then(Arc::default),
            sink: Arc::default(),
        }
    }

    fn host(&self, clock: &Arc<ManualClock>, case: &Value, earlier: usize) -> Host {
        let turns = Script::of(&turns(case, earlier));
        let mut host = Host::new(clock.clone(), Arc::new(ScriptedModel { turns, protocol: Protocol::Host }));
        host.executors = Some(executors(&self.executor));
        host.mediator = self.mediator.clone().map(|part| part as _);
        let completion =
            case.get("completion").map(|_| ScriptedCompletion(Script::of(list(case, "completion"))));
        host.completion = completion.map(|part| Arc::new(part) as Arc<dyn CompletionPolicy>);
        host.continuation = ContinueBy::Policy(self.continuation.clone());
        host
    }

    fn answer(&self, case: &Value, result: &Value, earlier: usize) -> Value {
        let results = list(result, "tool_execution_results");
        let prior = list(case, "prior_tool_results").len();
        // Asked whether to go on, the turn was not the end of the conversation.
        let asked_to_continue = self.continuation.script.asked().len() > earlier;
        let mut answer = json!({
            "messages": input(result, "messages"),
            "tool_execution_results": results.get(prior..).unwrap_or_default(),
            "tool_events": input(result, "tool_events"),
            "tool_audit_events": input(result, "tool_audit_events"),
            "events": input(result, "events"),
            "conversation_complete": !asked_to_continue,
            "exceeded_budget": input(result, "budget"),
            "approval_required": input(result, "approval_required"),
            "runtime_tool_pending": input(result, "runtime_tool_pending"),
            "observed": self.observed(),
            "executed": self.executor.calls.asked().iter().map(|call| input(call, "tool_name")).collect::<Vec<_>>(),
        });
        let optional = [
            ("asked", self.mediator.as_ref().map(|mediator| Value::Array(mediator.script.asked()))),
            ("store", self.requests.as_ref().map(|requests| kept(requests))),
        ];
        if let Some(answer) = answer.as_object_mut() {
            answer.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
        answer
    }

    /// What watchers heard of the turn itself.
    fn observed(&self) -> Vec<Value> {
        let told = self.sink.events.asked();
        let of_turn = told.rsplit(|event| text(event, "event") == "turn_started").next().unwrap_or_default();
        let names = of_turn.iter().map(|event| input(event, "event").clone());
        names.filter(|name| name != "completed").collect()
    }
}

fn kept(requests: &Script) -> Value {
    let by_id = |request: Value| (text(&request, "request_id").to_owned(), request);
    requests.asked().into_iter().map(by_id).collect::<Object>().into()
}

fn mediated(call: &MediatedCall<'_>) -> Value {
    let results = call.prior_results();
    let ids = |of_turn_only: bool| -> Vec<Value> {
        let wanted =
            results.iter().filter(|result| !of_turn_only || *input(result, "turn_count") == json!(call.turn));
        wanted.map(|result| input(result, "tool_call_id").clone()).collect()
    };
    json!({
        "tool_name": call.tool_name,
        "tool_call_id": call.tool_call_id,
        "parameters": call.parameters,
        "turn": call.turn,
        "turn_context": call.context,
        "raw_tool_call": call.raw_tool_call,
        "prepared_tool_call": call.prepared.map(|prepared| prepared.to_value()),
        "tool_declaration": call.declaration.map(|declaration| declaration.name().as_str()),
        "messages": call.messages.len(),
        "prior_tool_results": ids(false),
        "prior_mediated_results": ids(true),
    })
}
