//! `tracing` spans of runs, turns and calls.
//!
//! Spans are created around the effects that the actor performs, and do not change them. Names and fields
//! follow OpenTelemetry's conventions for generative AI; `otel.name` is the name that an OpenTelemetry
//! exporter shows. No span contains messages, arguments or results.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::{self, Object};
use provost_engine::event::{ActionSpec, HookAnswer, Outcome, Purpose};
use provost_engine::state::Transcript;
use provost_engine::view::ChildOrder;
use provost_engine::{Fault, ModelAnswer, RunId, Usage};
use provost_runtime::actor::{
    Found, HookCall, LostAttempt, ModelCall, ModelReply, NewChild, Performer, Previewed, RunContext, Work,
};
use provost_runtime::host::PerformerLayer;
use provost_runtime::port::Boxed;
use serde_json::Value;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};

/// Wraps every effect in a span.
pub(crate) fn layer() -> PerformerLayer {
    Arc::new(|performer| Arc::new(Traced { performer, runs: Mutex::default() }))
}

struct Traced {
    performer: Arc<dyn Performer>,
    /// The spans of the runs that this process works on. A run that waits and continues gets another span.
    runs: Mutex<HashMap<RunId, Span>>,
}

impl Traced {
    fn run(&self, context: &RunContext) -> Span {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let spec = &context.spec;
        let new = || {
            let session = spec.session.as_ref().map(|session| session.id.as_str());
            info_span!(
                parent: None,
                "invoke_agent",
                otel.name = format!("invoke_agent {}", spec.agent),
                gen_ai.operation.name = "invoke_agent",
                gen_ai.agent.name = spec.agent,
                gen_ai.conversation.id = session,
                provost.run.id = spec.run.as_str(),
            )
        };
        runs.entry(spec.run.clone()).or_insert_with(new).clone()
    }

    fn close(&self, run: &RunId) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(run);
    }

    fn turn(&self, call: &ModelCall) -> Span {
        let wanted = call.context.agent.spec.models.get(call.model as usize);
        let model = wanted.and_then(|wanted| {
            ["model_id", "model", "named"].into_iter().find_map(|key| json::text(wanted, key))
        });
        let operation = match call.purpose {
            Purpose::Turn => "chat",
            Purpose::Compaction | Purpose::Summary { .. } => "summarize",
        };
        info_span!(
            parent: &self.run(&call.context),
            "chat",
            otel.name = model.map_or_else(|| operation.to_owned(), |model| format!("{operation} {model}")),
            gen_ai.operation.name = operation,
            gen_ai.request.model = model,
            gen_ai.response.model = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            error.type = Empty,
            provost.run.id = call.context.spec.run.as_str(),
            provost.turn = call.context.turn,
            provost.attempt = call.attempt,
        )
    }

    fn action(&self, work: &Work) -> Span {
        let spec = &work.spec;
        info_span!(
            parent: &self.run(&work.context),
            "execute_tool",
            otel.name = format!("execute_tool {}", spec.operation),
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = spec.operation,
            gen_ai.tool.call.id = spec.label,
            gen_ai.tool.type = "function",
            error.type = Empty,
            provost.run.id = work.context.spec.run.as_str(),
            provost.action.id = %spec.id,
            provost.attempt = work.execute.attempt,
        )
    }
}

/// Records how a model call ended.
fn record_turn(span: &Span, reply: &ModelReply) {
    let response = match &reply.answer {
        ModelAnswer::Responded(response) => response,
        ModelAnswer::Failed(failed) => {
            span.record("error.type", failed.fault.code.as_str());
            return;
        }
    };
    let usage = json::object_or_empty(&response.provider, "usage");
    let names = [
        ("gen_ai.usage.input_tokens", ["input_tokens", "prompt_tokens"]),
        ("gen_ai.usage.output_tokens", ["output_tokens", "completion_tokens"]),
    ];
    for (field, keys) in names {
        if let Some(tokens) = first_number(&usage, keys) {
            span.record(field, tokens);
        }
    }
    let metadata = json::object_or_empty(&response.provider, "request_metadata");
    if let Some(model) = json::text(&metadata, "model") {
        span.record("gen_ai.response.model", model);
    }
}

fn first_number(usage: &Object, keys: [&str; 2]) -> Option<u64> {
    keys.into_iter().find_map(|key| usage.get(key).and_then(Value::as_u64))
}

/// Records why an attempt did not complete.
fn record_action(span: &Span, outcome: &Outcome) {
    let error = match outcome {
        Outcome::Failed { fault, .. } => fault.code.as_str(),
        Outcome::TimedOut { .. } => "timed_out",
        Outcome::Stopped => "stopped",
        _ => return,
    };
    span.record("error.type", error);
}

impl Performer for Traced {
    fn reserve(&self, context: &RunContext, transcript: &Transcript) -> Usage {
        self.performer.reserve(context, transcript)
    }

    fn model(&self, call: ModelCall) -> Boxed<'_, ModelReply> {
        let span = self.turn(&call);
        let answered = self.performer.model(call).instrument(span.clone());
        Box::pin(async move {
            let reply = answered.await;
            record_turn(&span, &reply);
            reply
        })
    }

    fn hook(&self, call: HookCall) -> Boxed<'_, HookAnswer> {
        let run = self.run(&call.context);
        Box::pin(self.performer.hook(call).instrument(run))
    }

    fn preview(&self, work: Work) -> Boxed<'_, Previewed> {
        let run = self.run(&work.context);
        Box::pin(self.performer.preview(work).instrument(run))
    }

    fn execute(&self, work: Work) -> Boxed<'_, (Outcome, Usage)> {
        let span = self.action(&work);
        let executed = self.performer.execute(work).instrument(span.clone());
        Box::pin(async move {
            let ended = executed.await;
            record_action(&span, &ended.0);
            ended
        })
    }

    fn recover(&self, lost: LostAttempt) -> Boxed<'_, Found> {
        let run = self.run(&lost.context);
        Box::pin(self.performer.recover(lost).instrument(run))
    }

    fn unload(&self, run: &RunId) {
        self.close(run);
        self.performer.unload(run);
    }

    fn forget(&self, run: &RunId) {
        self.close(run);
        self.performer.forget(run);
    }

    fn child(
        &self,
        context: &RunContext,
        order: &ChildOrder,
        action: &ActionSpec,
    ) -> Result<NewChild, Fault> {
        self.performer.child(context, order, action)
    }
}
