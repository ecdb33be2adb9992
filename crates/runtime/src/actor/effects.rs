//! Starting effects other than a call (`start_execute` in `run.rs`): each becomes a task that answers with an input.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::json::Object;
use provost_contract::sensitivity::HiddenValues;
use provost_engine::event::{
    ExecutorKind, Hook, HookAnswer, Note, Outcome, Phase, Purpose, Subject as HookSubject,
};
use provost_engine::state::Transcript;
use provost_engine::view::page;
use provost_engine::{
    ActionId, Agent, Digest, EffectId, Execute, Fault, Input, ModelAnswer, ModelFault, Payload, RunState,
    Usage, hash_of,
};
use provost_protocol::tokens::Bpe;
use serde_json::Value;
use tokio::time::timeout;

use super::artifacts::{offload, read_all, whole};
use super::patience::Outage as _;
use super::patience::Pauses;
use super::performer::{
    ActionView, Exchange, HookCall, LostAttempt, ModelCall, Notes, Performer, RunContext, Subject, Work,
};
use super::run::{RunActor, Shared};
use super::sources::{Found, Lookup, Reader, Source, sources};
use crate::store::Store;

type Answer = (Input, Option<Vec<Object>>);

impl RunActor {
    /// Finds out what became of an attempt of an earlier worker.
    pub(super) fn start_recover(
        &mut self,
        id: EffectId,
        (action, attempt): (ActionId, u32),
        phase: Phase,
        key: Digest,
        process: Option<Note>,
    ) {
        let Some(open) = self.state().action(action) else { return };
        let lost = LostAttempt {
            context: self.context(),
            spec: open.spec.clone(),
            attempt,
            phase,
            key,
            process,
            raw: self.arguments.of(action, &open.args),
            worker_gone: self.earlier_gone,
        };
        let performer = self.shared.performer.clone();
        self.tasks.start(id, Arc::default(), async move {
            let found = performer.recover(lost).await;
            let (gone, probe, result) = (found.gone, found.probe, found.result);
            (Input::Recovered { action, attempt, gone, probe, result }, None)
        });
    }

    pub(super) fn start_model(&mut self, id: EffectId, request: u32, purpose: Purpose, model: u32) {
        let call = ModelCall {
            context: self.context(),
            request,
            purpose,
            model,
            attempt: self.state().model.open.map_or(1, |open| open.attempt),
            transcript: self.state().transcript.clone(),
            exchange: None,
            deltas: self.shared.deltas.clone(),
        };
        // The page is made of the actions, and a task has no part in the state.
        let declares = self.state().is_protocol() && purpose == Purpose::Turn;
        let declares = declares.then(|| self.state().clone());
        let limit = Duration::from_millis(self.state().spec.limits.model_ms);
        let performer = self.shared.performer.clone();
        let store = self.shared.store.clone();
        self.tasks.start(id, Arc::default(), async move {
            let mut call = call;
            if let Some(state) = declares {
                match exchange(&*store, state).await {
                    Ok(exchange) => call.exchange = Some(Arc::new(exchange)),
                    Err(fault) => return unread(request, &fault),
                }
                return ask_model(&*performer, call, limit).await;
            }
            let of = (&call.context.spec.run, &*call.context.agent);
            match read_all(&*store, of, call.transcript).await {
                Ok(transcript) => call.transcript = transcript,
                Err(fault) => return unread(request, &fault),
            }
            ask_model(&*performer, call, limit).await
        });
    }

    pub(super) fn hook(
        &self,
        hook: Hook,
        about: HookSubject,
    ) -> Option<impl Future<Output = Answer> + Send + 'static + use<>> {
        let subject = match about {
            HookSubject::Turn { turn } => Subject::Turn(turn),
            HookSubject::Run => Subject::Run,
            HookSubject::Action { action } => {
                let open = self.state().action(action)?;
                Subject::Action(Box::new(ActionView {
                    spec: open.spec.clone(),
                    args: open.args.clone(),
                    raw: self.arguments.of(action, &open.args),
                    result: open.end.as_ref().map(|end| end.result.clone()),
                    approved: open.is_approved(self.state().policy),
                }))
            }
        };
        let transcript = match about {
            HookSubject::Action { action } => self.state().shown_about(action),
            HookSubject::Turn { .. } | HookSubject::Run => self.state().shown(),
        };
        let response = self.state().model.response.as_ref().filter(|_| hook == Hook::AfterModel);
        let response = response.map(|response| response.responded.clone());
        let call = HookCall { context: self.context(), hook, about, subject, transcript, response };
        let ms = self.state().spec.limits.hook_ms;
        let (performer, store) = (self.shared.performer.clone(), self.shared.store.clone());
        Some(async move {
            let mut call = call;
            if let Subject::Action(action) = &mut call.subject
                && let Some(result) = &action.result
                && let Ok(result) = whole(&*store, result).await
            {
                action.result = Some(result);
            }
            let answer = timeout(Duration::from_millis(ms), performer.hook(call)).await;
            let late = || HookAnswer::Failed {
                fault: Fault::new("hook_timed_out", format!("The hook gave no answer within {ms} ms.")),
            };
            (Input::Hook { hook, subject: about, answer: answer.unwrap_or_else(|_| late()) }, None)
        })
    }

    /// What an executor gets of an open action. Arguments that this process does not know are read from their
    /// seal.
    pub(super) fn assignment(&self, action: ActionId, execute: Execute) -> Option<Assignment> {
        let open = self.state().action(action)?;
        let raw = self.arguments.of(action, &open.args);
        let sources = match open.executor() {
            ExecutorKind::Runtime => sources(self.state(), open, raw.as_ref().unwrap_or(&open.args.redacted)),
            _ => Vec::new(),
        };
        let work = Work {
            context: self.context(),
            spec: open.spec.clone(),
            raw: raw.clone().unwrap_or_default(),
            sources: Vec::new(),
            notes: Notes { action, attempt: execute.attempt, sender: self.notes.clone() },
            execute,
            deltas: self.shared.deltas.clone(),
        };
        let sealed = raw.is_none().then_some(open.args.raw);
        Some(Assignment { work, sealed, sources, shared: self.shared.clone() })
    }

    /// Looks up what the references of an action stand for. The task checks the arguments that they make, and
    /// answers with them; the raw ones come beside the answer, because no record has their secrets.
    pub(super) fn resolving(
        &self,
        action: ActionId,
    ) -> Option<impl Future<Output = Answer> + Send + 'static + use<>> {
        let open = self.state().action(action)?;
        let raw = self.arguments.of(action, &open.args);
        let lookup = raw.as_ref().map(|raw| Lookup::of(self.state(), open, raw));
        let view = ActionView {
            spec: open.spec.clone(),
            args: open.args.clone(),
            raw: None,
            result: None,
            approved: false,
        };
        let about = HookSubject::Action { action };
        let call = HookCall {
            context: self.context(),
            hook: Hook::Resolve,
            about,
            subject: Subject::Action(Box::new(view)),
            transcript: Transcript::default(),
            response: None,
        };
        let shared = self.shared.clone();
        Some(async move {
            let input = |answer| Input::Hook { hook: Hook::Resolve, subject: about, answer };
            let Some(lookup) = lookup else {
                let sentence = "Not run: its secret arguments were lost with the process.";
                let fault = Fault::new("secrets_lost", sentence);
                return (input(HookAnswer::Failed { fault }), None);
            };
            match resolved(&shared, call, lookup).await {
                Ok((answer, raw)) => (input(answer), Some(raw)),
                Err(fault) => (input(HookAnswer::Failed { fault }), None),
            }
        })
    }

    pub(super) fn start_preview(&mut self, id: EffectId, action: ActionId) {
        let Some(open) = self.state().action(action) else { return };
        let execute = Execute {
            action,
            attempt: open.attempt + 1,
            phase: Phase::Run,
            key: self.state().key(open),
            args: open.args.clone(),
            expect: Vec::new(),
            input: None,
            timeout_ms: self.state().spec.limits.hook_ms,
        };
        let ms = execute.timeout_ms;
        let work = self.assignment(action, execute);
        let performer = self.shared.performer.clone();
        self.tasks.start(id, Arc::default(), async move {
            let nothing = Ok(Payload::default());
            let Some(work) = known(work).await else {
                return (Input::Preview { action, preview: nothing, expect: Vec::new() }, None);
            };
            let input = match timeout(Duration::from_millis(ms), performer.preview(work)).await {
                Ok(shown) => Input::Preview { action, preview: shown.preview, expect: shown.expect },
                Err(_) => Input::Preview { action, preview: nothing, expect: Vec::new() },
            };
            (input, None)
        });
    }
}

/// What an executor gets, and where its arguments are sealed if this process does not know them.
pub(super) struct Assignment {
    work: Work,
    sealed: Option<Digest>,
    sources: Vec<(String, String, Found)>,
    shared: Arc<Shared>,
}

/// Returns the work with its raw arguments; none when they are lost.
pub(super) async fn known(assignment: Option<Assignment>) -> Option<Work> {
    let Assignment { mut work, sealed, sources, shared } = assignment?;
    for (reference, name, found) in sources {
        let value = reader(&shared, &work.context).read(&found).await;
        work.sources.push(Source { reference, name, value });
    }
    let Some(hash) = sealed else { return Some(work) };
    let (run, action) = (work.context.spec.run.clone(), work.spec.id);
    let sealed = shared.store.sealed(run.clone(), action).await.ok().flatten()?;
    let raw = shared.seal.as_ref()?.open(&run, action, &sealed)?;
    work.raw = raw;
    (hash_of(&work.raw) == hash).then_some(work)
}

fn reader<'a>(shared: &'a Shared, context: &'a RunContext) -> Reader<'a> {
    let (run, workspace) = (&context.spec.run, context.spec.workspace.as_str());
    Reader { store: &*shared.store, agents: &*shared.agents, run, workspace }
}

/// The arguments of an action whose references have values, checked and redacted, and the raw ones.
async fn resolved(
    shared: &Shared,
    call: HookCall,
    lookup: Lookup,
) -> Result<(HookAnswer, Vec<Object>), Fault> {
    let (arguments, items) = lookup.resolve(reader(shared, &call.context)).await?;
    let checked = async |raw: &Object| {
        let mut call = call.clone();
        if let Subject::Action(action) = &mut call.subject {
            action.raw = Some(raw.clone());
        }
        match shared.performer.hook(call).await {
            HookAnswer::Resolved { args, .. } => Ok(args),
            HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault } => Err(fault),
            _ => Err(Fault::new("unresolved_input", "Not run: its arguments could not be checked.")),
        }
    };
    let Some(entries) = items else {
        let args = checked(&arguments).await?;
        return Ok((HookAnswer::Resolved { args, items: Vec::new() }, vec![arguments]));
    };
    let mut items = Vec::with_capacity(entries.len());
    for entry in &entries {
        items.push(checked(entry).await?);
    }
    // What the entries share is as it was declared.
    let Subject::Action(action) = call.subject else {
        return Err(Fault::new("unresolved_input", "Not run."));
    };
    Ok((HookAnswer::Resolved { args: action.args, items }, entries))
}

/// The secrets among the arguments of a call.
pub(super) fn hidden_values(work: &Work) -> HiddenValues {
    let args = &work.execute.args;
    if !args.hides {
        return HiddenValues::default();
    }
    HiddenValues::of(&Value::Object(work.raw.clone()), &Value::Object(args.redacted.clone()))
}

/// An outcome that does not repeat the secrets of its call: no record has them.
pub(super) fn without(hidden: &HiddenValues, outcome: Outcome) -> Outcome {
    if hidden.is_empty() {
        return outcome;
    }
    let unreadable = || {
        let sentence = "The result repeated secrets of its call and could not be recorded.";
        Outcome::Failed { fault: Fault::new("result_withheld", sentence), result: Payload::default() }
    };
    let masked = serde_json::to_value(outcome).map(|outcome| hidden.hide_in(outcome));
    masked.and_then(serde_json::from_value).unwrap_or_else(|_| unreadable())
}

/// Stores a large result first. A store that is away is waited for: what an executor did is not forgotten.
pub(super) async fn stored(
    store: &dyn Store,
    agent: &Agent,
    outcome: Outcome,
    trouble: impl Fn(String),
) -> Outcome {
    let mut pauses = Pauses::new();
    loop {
        match offload(store, agent, outcome.clone()).await {
            Ok(outcome) => return outcome,
            Err(error) => pauses.pause_after(&error, &trouble).await,
        }
    }
}

/// What a model that declares its work is shown: its results are read whole first.
async fn exchange(store: &dyn Store, mut state: RunState) -> Result<Exchange, crate::port::Fault> {
    for action in state.actions.values_mut() {
        if let Some(end) = &mut action.end {
            end.result = whole(store, &end.result).await?;
        }
    }
    let page = page(&state, &Bpe);
    Ok(Exchange { state, page })
}

/// The transcript could not be read: the model is asked again a little later.
fn unread(request: u32, fault: &crate::port::Fault) -> Answer {
    let failed = ModelFault::new("store", format!("The transcript could not be read: {fault}"));
    // What is damaged does not mend itself.
    let retry_in_ms = fault.is_outage().then_some(1_000);
    let failed = ModelFault { retry_in_ms, usage: Some(Usage::default()), ..failed };
    (Input::Model { request, answer: ModelAnswer::Failed(Box::new(failed)) }, None)
}

async fn ask_model(performer: &dyn Performer, call: ModelCall, limit: Duration) -> Answer {
    let request = call.request;
    match timeout(limit, performer.model(call)).await {
        Ok(reply) => (Input::Model { request, answer: reply.answer }, Some(reply.raw)),
        Err(_) => {
            let sentence = format!("The model gave no answer within {} ms.", limit.as_millis());
            let fault = ModelFault::new("timed_out", sentence);
            (Input::Model { request, answer: ModelAnswer::Failed(Box::new(fault)) }, None)
        }
    }
}
