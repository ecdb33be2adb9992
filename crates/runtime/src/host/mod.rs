//! The parts of a host behind the actor's edge: model, tools and hooks.

mod calls;
mod client_router;
mod compiled;
mod execute;
mod hooks;
mod memory;
mod model_hooks;
mod output;
mod parts;
mod protocol;
mod reporting;
mod response;
mod runs;
mod show_tools;
mod start;
mod submit;
mod tool_call;

pub use client_router::ClientRouter;
pub use parts::{ContinueBy, Executors, Host, PerformerLayer};
pub use protocol::{Earlier, Reading, RefusedDeclaration, runtime_operations};
pub use runs::{AgentRegistry, EditError, Runs, RunsError};
pub use start::Start;
pub use submit::{Library, Submission, SubmitError};
pub use tool_call::{Prepared, Tool, prepare, result_of};

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::sensitivity;
use provost_engine::state::Transcript;
use provost_engine::{ModelAnswer, ModelFault, RunId, Usage};

use crate::actor::{DeltaSink, ModelCall, ModelReply, RunContext};
use crate::port::{self, Hearing, TurnCache, TurnRequest};
use memory::Memories;

/// Performs the effects of runs with the parts of a host.
pub struct HostPerformer {
    host: Host,
    /// What only this process knows of its runs.
    memories: Memories,
    /// Where stored results are read that a declaration refers to.
    library: Library,
}

impl HostPerformer {
    /// Returns a performer over the parts of a host.
    pub fn new(host: Host, library: Library) -> Self {
        Self { host, memories: Memories::default(), library }
    }

    /// Returns the parts of the host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Gives a run its caller's context, secrets included. It is written nowhere. A run that has one keeps it;
    /// returns whether it was given this one.
    pub fn set_context(&self, run: &RunId, context: Object) -> bool {
        self.memories.of(run, |memory| {
            let is_first = memory.context.is_none();
            memory.context.get_or_insert_with(|| Arc::new(context));
            is_first
        })
    }

    /// The caller's context of a turn: the whole one, or what the record has of it.
    fn context(&self, of: &RunContext) -> Object {
        let mut context = self.caller_context(of);
        context.insert("turn".into(), of.turn.into());
        context
    }

    /// The caller's context: the whole one, or what the record has of it.
    fn caller_context(&self, of: &RunContext) -> Object {
        match self.memories.of(&of.spec.run, |memory| memory.context.clone()) {
            Some(context) => (*context).clone(),
            None => {
                let recorded = serde_json::Value::Object(of.spec.context.clone());
                sensitivity::without_redacted(&recorded).map(json::into_object).unwrap_or_default()
            }
        }
    }

    /// Whether calls are carried out here: there are tools, and something that executes them.
    fn mediates(&self, of: &RunContext) -> bool {
        self.host.executors.is_some() && !of.agent.catalog.tools().is_empty()
    }

    async fn turn(&self, call: ModelCall) -> ModelReply {
        if let Some(exchange) = call.exchange.clone() {
            return self.declaring_turn(call, &exchange).await;
        }
        let context = self.context(&call.context);
        let (run, request) = (call.context.spec.run.clone(), call.request);
        let deltas = Streamed { run, request, sink: call.deltas.clone(), declares: false };
        let no_model = Object::new();
        let models = &call.context.agent.spec.models;
        let cache = self.memories.of(&call.context.spec.run, |memory| memory.cache.clone());
        let request = TurnRequest {
            turn: call.context.turn.into(),
            turns_max: turns_max(&call.context),
            session: call.context.spec.session.as_ref().map(|session| session.id.as_str()),
            messages: &call.transcript,
            tools: &call.context.agent.offered(&call.context.promoted),
            carrier: None,
            context: &context,
            model: models.get(call.model as usize).unwrap_or(&no_model),
            structured_output: call.context.spec.output_schema.as_ref(),
            hearing: Hearing::new(call.context.turn.into(), &deltas),
            cache: &cache,
        };
        let answer = match self.host.model.turn(request).await {
            Ok(answer) => answer,
            Err(error) => {
                return response::raised(
                    &call.context,
                    &error,
                    self.host.backoff.pause(call.attempt, error.retry),
                );
            }
        };
        let mediates = self.mediates(&call.context);
        let answered = response::of(&call.context, mediates, &context, &call.transcript, answer);
        let mut reply = answered.reply;
        let run = &call.context.spec.run;
        self.memories.of(run, |memory| memory.written = answered.entries.into_iter().collect());
        if let ModelAnswer::Responded(response) = &mut reply.answer
            && let Some(host) = response.host.as_mut().filter(|host| host.managed)
        {
            let results = json::list(&host.records, "tool_execution_results").cloned().unwrap_or_default();
            host.completes = self.judge_managed(&call.context, &results).await;
            self.memories.of(run, |memory| memory.reported.extend(results));
        }
        reply
    }

    /// What a model call may cost at most, from the model's own count; nothing if no budget limits it.
    fn reserved(&self, context: &RunContext, transcript: &Transcript) -> Usage {
        let spends = context.spec.budgets.keys().any(|name| name == "tokens" || name == "cost_microusd");
        if !spends {
            return Usage::default();
        }
        let (no_model, caller) = (Object::new(), self.context(context));
        let request = TurnRequest {
            turn: context.turn.into(),
            turns_max: turns_max(context),
            session: None,
            messages: transcript,
            tools: &context.agent.offered(&context.promoted),
            carrier: None,
            context: &caller,
            model: context.agent.spec.models.first().unwrap_or(&no_model),
            structured_output: context.spec.output_schema.as_ref(),
            hearing: Hearing::default(),
            cache: &TurnCache::default(),
        };
        let reserved = self.host.model.reserve(request);
        let amounts = [("tokens", reserved.tokens), ("cost_microusd", reserved.cost_microusd)];
        Usage(
            amounts
                .into_iter()
                .filter(|(_, amount)| *amount > 0)
                .map(|(name, amount)| (name.to_owned(), amount))
                .collect(),
        )
    }

    async fn summary(&self, call: ModelCall) -> ModelReply {
        use provost_contract::compaction::Plan;
        let failed = |code: &str, sentence: &str| ModelReply {
            answer: ModelAnswer::Failed(Box::new(ModelFault::new(code, sentence))),
            raw: Vec::new(),
        };
        let Some(summariser) = &self.host.summariser else {
            return failed("no_summariser", "Nothing sums up older messages.");
        };
        let Some(Plan::Summarize(pending)) = call.context.agent.compaction_plan(&call.transcript) else {
            return failed("nothing_to_sum_up", "There is nothing to sum up.");
        };
        let summary = summariser.summarise(pending.earlier(), pending.context()).await;
        response::summary(summary)
    }
}

fn turns_max(context: &RunContext) -> u64 {
    let budget = context.spec.budgets.get("turns").copied();
    budget.unwrap_or_else(|| context.spec.limits.turns.into())
}

/// Passes the pieces of a response on.
struct Streamed {
    run: RunId,
    request: u32,
    sink: Arc<dyn DeltaSink>,
    /// Whether its calls are declarations, which are shown when they are accepted.
    declares: bool,
}

impl port::Deltas for Streamed {
    fn hear(&self, _turn: u64, delta: port::Delta<'_>) {
        use crate::actor::Delta;
        let delta = match delta {
            port::Delta::Call { .. } | port::Delta::Arguments { .. } if self.declares => return,
            port::Delta::Text(text) => Delta::Text(text.to_owned()),
            port::Delta::Reasoning(text) => Delta::Reasoning(text.to_owned()),
            port::Delta::Call { place, id, name } => {
                Delta::Call { index: place, label: id.to_owned(), name: name.to_owned() }
            }
            port::Delta::Arguments { place, text } => {
                Delta::Arguments { index: place, text: text.to_owned() }
            }
            port::Delta::Restart => Delta::Restart,
            port::Delta::Retry { address, problem, attempt, attempts_max, wait_ms } => Delta::Retry {
                address: address.to_owned(),
                problem: problem.to_owned(),
                attempt,
                attempts_max,
                wait_ms,
            },
        };
        self.sink.delta(&self.run, Some(self.request), delta);
    }
}
