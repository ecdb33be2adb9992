//! Starting effects: each becomes a task that answers with an input.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::json::Object;
use provost_contract::sensitivity::HiddenValues;
use provost_engine::event::{Hook, HookAnswer, Outcome, Subject as HookSubject};
use provost_engine::{
    ActionId, Agent, Digest, Effect, EffectId, Execute, Fault, Input, ModelAnswer, ModelFault, Payload,
    Usage, hash_of,
};
use serde_json::Value;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::artifacts::{offload, read_all, whole};
use super::patience::Outage as _;
use super::patience::Pauses;
use super::performer::{
    ActionView, Delta, HookCall, LostAttempt, ModelCall, Notes, Performer, Subject, Work,
};
use super::run::{RunActor, Shared};
use crate::store::Store;

type Answer = (Input, Option<Vec<Object>>);

impl RunActor {
    /// Starts an effect as a task.
    pub(super) fn start(&mut self, effect: Effect) {
        let id = effect.id();
        match effect {
            Effect::Model { request, purpose, model, .. } => self.start_model(id, request, purpose, model),
            Effect::Hook { hook, subject } => {
                if let Some(call) = self.hook(hook, subject) {
                    self.tasks.start(id, Arc::default(), call);
                }
            }
            Effect::Preview { action } => self.start_preview(id, action),
            Effect::Execute(execute) => self.start_execute(id, *execute),
            Effect::Stop { action, attempt } => {
                if !self.tasks.stop(action, attempt) {
                    let outcome = Outcome::NotStarted { code: "stopped".into() };
                    let input = Input::Outcome { action, attempt, outcome, usage: Usage::default() };
                    self.tasks.start(id, Arc::default(), async move { (input, None) });
                }
            }
            Effect::Recover { action, attempt, phase, key, process } => {
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
            Effect::WakeAt(_) => {}
        }
    }

    fn start_model(
        &mut self,
        id: EffectId,
        request: u32,
        purpose: provost_engine::event::Purpose,
        model: u32,
    ) {
        let call = ModelCall {
            context: self.context(),
            request,
            purpose,
            model,
            attempt: self.state().model.open.map_or(1, |open| open.attempt),
            transcript: self.state().transcript.clone(),
            deltas: self.shared.deltas.clone(),
        };
        let limit = Duration::from_millis(self.state().spec.limits.model_ms);
        let performer = self.shared.performer.clone();
        let store = self.shared.store.clone();
        self.tasks.start(id, Arc::default(), async move {
            let mut call = call;
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
    fn assignment(&self, action: ActionId, execute: Execute) -> Option<Assignment> {
        let open = self.state().action(action)?;
        let raw = self.arguments.of(action, &open.args);
        let work = Work {
            context: self.context(),
            spec: open.spec.clone(),
            raw: raw.clone().unwrap_or_default(),
            notes: Notes { action, attempt: execute.attempt, sender: self.notes.clone() },
            execute,
            deltas: self.shared.deltas.clone(),
        };
        let sealed = raw.is_none().then(|| (self.shared.clone(), open.args.raw));
        Some(Assignment { work, sealed })
    }

    fn start_preview(&mut self, id: EffectId, action: ActionId) {
        let Some(open) = self.state().action(action) else { return };
        let execute = Execute {
            action,
            attempt: open.attempt + 1,
            phase: provost_engine::event::Phase::Run,
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

    fn start_execute(&mut self, id: EffectId, execute: Execute) {
        let (action, attempt, ms) = (execute.action, execute.attempt, execute.timeout_ms);
        let work = self.assignment(action, execute);
        let (performer, store) = (self.shared.performer.clone(), self.shared.store.clone());
        let agent = self.state().agent.clone();
        let (deltas, run) = (self.shared.deltas.clone(), self.state().spec.run.clone());
        let stop = Arc::new(Notify::new());
        let stopped = stop.clone();
        self.tasks.start(id, stop, async move {
            let Some(work) = known(work).await else {
                let outcome = Outcome::NotStarted { code: "secrets_lost".into() };
                return (Input::Outcome { action, attempt, outcome, usage: Usage::default() }, None);
            };
            let hidden = hidden_values(&work);
            let ended = tokio::select! {
                biased;
                ended = timeout(Duration::from_millis(ms), performer.execute(work)) => ended,
                () = stopped.notified() => Ok((Outcome::Stopped, Usage::default())),
            };
            let late = |_| (Outcome::TimedOut { ms }, Usage::default());
            let (outcome, usage) = ended.unwrap_or_else(late);
            let trouble = |problem| deltas.delta(&run, None, Delta::Trouble(problem));
            let outcome = stored(&*store, &agent, without(&hidden, outcome), trouble).await;
            (Input::Outcome { action, attempt, outcome, usage }, None)
        });
    }
}

/// What an executor gets, and where its arguments are sealed if this process does not know them.
struct Assignment {
    work: Work,
    sealed: Option<(Arc<Shared>, Digest)>,
}

/// Returns the work with its raw arguments; none when they are lost.
async fn known(assignment: Option<Assignment>) -> Option<Work> {
    let Assignment { mut work, sealed } = assignment?;
    let Some((shared, hash)) = sealed else { return Some(work) };
    let (run, action) = (work.context.spec.run.clone(), work.spec.id);
    let sealed = shared.store.sealed(run.clone(), action).await.ok().flatten()?;
    let raw = shared.seal.as_ref()?.open(&run, action, &sealed)?;
    work.raw = raw;
    (hash_of(&work.raw) == hash).then_some(work)
}

/// The secrets among the arguments of a call.
fn hidden_values(work: &Work) -> HiddenValues {
    let args = &work.execute.args;
    if !args.hides {
        return HiddenValues::default();
    }
    HiddenValues::of(&Value::Object(work.raw.clone()), &Value::Object(args.redacted.clone()))
}

/// An outcome that does not repeat the secrets of its call: no record has them.
fn without(hidden: &HiddenValues, outcome: Outcome) -> Outcome {
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
async fn stored(store: &dyn Store, agent: &Agent, outcome: Outcome, trouble: impl Fn(String)) -> Outcome {
    let mut pauses = Pauses::new();
    loop {
        match offload(store, agent, outcome.clone()).await {
            Ok(outcome) => return outcome,
            Err(error) => pauses.pause_after(&error, &trouble).await,
        }
    }
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
