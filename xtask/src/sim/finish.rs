//! Effects that are under way answer.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_engine::event::{
    ChangeSet, ChangedPath, ExecutorKind, Hook, HookAnswer, Note, Outcome, Phase, Probe, Purpose, Subject,
};
use provost_engine::{
    ActionId, ArtifactRef, Effect, EffectId, Execute, Fault, Input, ModelAnswer, ModelFault, Payload, Ruling,
    Usage, Verdict,
};
use serde_json::json;

use super::Violation;
use super::actor::{Actor, Flight};
use super::dice::{chance, one, weighted};
use super::generate;
use super::ground::Attempt;
use super::world::World;

impl World {
    /// An effect of an actor answers.
    pub(super) fn finish(&mut self, id: u32, effect: EffectId) -> Result<(), Violation> {
        let Some(mut actor) = self.actors.remove(&id) else { return Ok(()) };
        let Some(mut flight) = actor.flights.remove(&effect).filter(|flight| !flight.answered) else {
            self.actors.insert(id, actor);
            return Ok(());
        };
        let answer = self.answer_of(&actor, &mut flight);
        // It counts as under way until its commit is acknowledged.
        flight.answered = !matches!(answer, Ok(Some(Input::Note { .. } | Input::Bridge { .. })));
        actor.flights.insert(effect, flight);
        let (run, epoch) = (actor.run.clone(), actor.epoch);
        self.actors.insert(id, actor);
        let Some(answer) = answer? else { return Ok(()) };
        self.feed(id, vec![answer.clone()])?;
        if let Some(actor) = self.actors.get_mut(&id) {
            // What was answered and is due again is started anew.
            let answered = actor.flights.get(&effect).is_some_and(|flight| flight.answered);
            if answered && !matches!(effect, EffectId::Execute(..)) {
                actor.flights.remove(&effect);
            }
        }
        if self.actors.get(&id).is_some_and(|actor| actor.epoch == epoch && !actor.zombie)
            && chance(&mut self.rng, 20)
        {
            self.late.push((run, answer));
        }
        Ok(())
    }

    fn answer_of(&mut self, actor: &Actor, flight: &mut Flight) -> Result<Option<Input>, Violation> {
        Ok(match flight.effect.clone() {
            Effect::Model { request, purpose, .. } => {
                let answer = self.model_answer(actor, request, purpose);
                Some(Input::Model { request, answer })
            }
            Effect::Hook { hook, subject } => {
                let answer = self.hook_answer(actor, hook, subject);
                Some(Input::Hook { hook, subject, answer })
            }
            Effect::Preview { action } => {
                let fails = chance(&mut self.rng, 8);
                let preview = if fails {
                    Err(Fault::new("no_match", "There is no such line."))
                } else {
                    Ok(Payload::inline("a diff"))
                };
                Some(Input::Preview { action, preview, expect: Vec::new() })
            }
            Effect::Recover { action, attempt, phase, .. } => {
                Some(self.recover(actor, action, attempt, phase))
            }
            Effect::Stop { action, attempt } => Some(self.stop(actor, flight, action, attempt)?),
            Effect::Execute(execute) => Some(self.execute(actor, flight, &execute)?),
            Effect::WakeAt(_) => None,
        })
    }

    fn model_answer(&mut self, actor: &Actor, request: u32, purpose: Purpose) -> ModelAnswer {
        if chance(&mut self.rng, 8) {
            let retry_in_ms = one(&mut self.rng, None, &[Some(0), Some(500), Some(3_000)]);
            let usage =
                chance(&mut self.rng, 30).then(|| generate::tokens(self.rng.u64(0..=generate::RESERVE)));
            let fault = ModelFault::new("overloaded", "Try again.");
            return ModelAnswer::Failed(Box::new(ModelFault { usage, retry_in_ms, ..fault }));
        }
        if purpose == Purpose::Compaction {
            let messages = vec![Arc::new(Message::text("assistant", "s"))];
            let usage = Some(generate::tokens(self.rng.u64(1..=generate::RESERVE)));
            let response = provost_engine::ModelResponse { messages, usage, ..Default::default() };
            return ModelAnswer::Responded(Box::new(response));
        }
        let said = generate::response(&mut self.rng, &self.recipe, &actor.state);
        if said.refused {
            self.checker.must_refuse(&actor.run, request);
        }
        ModelAnswer::Responded(Box::new(said.response))
    }

    fn hook_answer(&mut self, actor: &Actor, hook: Hook, subject: Subject) -> HookAnswer {
        let rng = &mut self.rng;
        let fault = || Fault::new("hook_failed", "It failed.");
        let failed = HookAnswer::Failed { fault: fault() };
        let reject = |completes| HookAnswer::Reject { fault: fault(), result: None, completes };
        let message = HookAnswer::Message {
            messages: vec![Arc::new(Message::text("user", "Look again."))],
            record: Object::new(),
        };
        let complete = HookAnswer::Complete { reason: "done".into(), record: Object::new() };
        let nothing = HookAnswer::NoOpinion;
        match hook {
            Hook::BeforeModel => weighted(rng, nothing.clone(), &[(18, nothing), (1, failed), (1, message)]),
            Hook::AfterModel => {
                weighted(rng, nothing.clone(), &[(8, nothing), (1, reject(false)), (1, failed)])
            }
            // The generator declares no references.
            Hook::Resolve => failed,
            Hook::Policy => policy_answer(rng, actor, subject),
            Hook::Mediate => {
                let payload = Payload::inline(json!({ "success": true, "result": 1 }));
                let completes = chance(rng, 10);
                let replace = HookAnswer::Replace { payload, completes };
                let wait = HookAnswer::Wait { result: Object::new() };
                let go = HookAnswer::Proceed { ruling: None };
                let choices = [
                    (8, nothing.clone()),
                    (4, go),
                    (1, reject(completes)),
                    (1, failed),
                    (1, replace),
                    (1, wait),
                ];
                weighted(rng, nothing, &choices)
            }
            Hook::AfterTool => {
                weighted(rng, nothing, &[(3, HookAnswer::Note { value: json!({ "ok": 1 }) }), (1, failed)])
            }
            Hook::Completion => {
                weighted(rng, nothing.clone(), &[(8, nothing), (1, complete), (1, message), (1, failed)])
            }
            Hook::Continue => weighted(rng, nothing.clone(), &[(6, nothing), (1, complete), (1, failed)]),
            Hook::Interrupt => {
                weighted(rng, nothing.clone(), &[(8, nothing), (1, complete), (1, message), (1, failed)])
            }
            Hook::OnStop => weighted(rng, nothing.clone(), &[(4, nothing), (1, message), (1, failed)]),
        }
    }

    fn recover(&mut self, actor: &Actor, action: ActionId, attempt: u32, phase: Phase) -> Input {
        let gone = chance(&mut self.rng, 75);
        let of = Attempt { run: actor.run.clone(), action, attempt, phase };
        if gone {
            self.ground.prove_gone(&of, actor.epoch);
        }
        let asked = gone && phase == Phase::Run && chance(&mut self.rng, 25);
        let looks_up = asked && self.checker.touches_world(&actor.run, action);
        let probe = match (looks_up, self.ground.happened(&of)) {
            (false, _) => Probe::Unknown,
            (true, true) => Probe::Done,
            (true, false) => Probe::NotDone,
        };
        let result = (probe == Probe::Done).then(|| Payload::inline(json!({ "success": true })));
        Input::Recovered { action, attempt, gone, probe, result }
    }

    fn stop(
        &mut self,
        actor: &Actor,
        flight: &mut Flight,
        action: ActionId,
        attempt: u32,
    ) -> Result<Input, Violation> {
        let usage = Usage::default();
        let Some(of) = flight.of.as_deref_mut() else {
            let outcome = Outcome::NotStarted { code: "stopped".into() };
            return Ok(Input::Outcome { action, attempt, outcome, usage });
        };
        if chance(&mut self.rng, 30) {
            let mut executed = of.clone();
            self.perform(actor, &mut executed)?;
            *of = executed;
            let result = Payload::inline(json!({ "success": true }));
            let outcome = Outcome::Completed { result, goal: true, satisfying: true };
            let is_program =
                actor.state.action(action).is_some_and(|action| action.executor() == ExecutorKind::Program);
            if !is_program && chance(&mut self.rng, 50) {
                return Ok(Input::Outcome { action, attempt, outcome, usage });
            }
        }
        // Stopped means that nothing of it runs any more.
        of.performed = true;
        Ok(Input::Outcome { action, attempt, outcome: Outcome::Stopped, usage })
    }

    fn execute(&mut self, actor: &Actor, flight: &mut Flight, execute: &Execute) -> Result<Input, Violation> {
        let Execute { action, attempt, phase, .. } = *execute;
        let executor = actor.state.action(action).map(|action| action.executor());
        if chance(&mut self.rng, 12) {
            let note = Note::Process { host: "h".into(), pid: 1, start: 1, handle: String::new() };
            return Ok(Input::Note { action, attempt, note });
        }
        let program = executor == Some(ExecutorKind::Program);
        if program && phase == Phase::Run && chance(&mut self.rng, 20) {
            let mut call = generate::action(&mut self.rng, &self.recipe, ExecutorKind::Tool);
            call.resources.clear();
            let number = self.rng.u32(1..3);
            return Ok(Input::Bridge { action, attempt, number, call: Box::new(call) });
        }
        let outcome = self.outcome(flight, execute, program);
        let happens = match &outcome {
            Outcome::Completed { .. } | Outcome::Proposed { .. } => true,
            Outcome::Failed { .. } | Outcome::TimedOut { .. } => {
                phase == Phase::Run && chance(&mut self.rng, 50)
            }
            _ => false,
        };
        if happens {
            self.perform(actor, flight)?;
        }
        // Whatever came of it, nothing of it runs any more.
        flight.performed = true;
        Ok(Input::Outcome { action, attempt, outcome, usage: Usage::default() })
    }

    fn outcome(&mut self, flight: &Flight, execute: &Execute, program: bool) -> Outcome {
        let result = Payload::inline(json!({ "success": true, "n": self.rng.u32(..3) }));
        let goal = chance(&mut self.rng, 50);
        let satisfying = !chance(&mut self.rng, 10);
        let done = Outcome::Completed { result, goal, satisfying };
        let fault = Fault::new("broken", "It did not work.");
        let failed = Outcome::Failed { fault, result: Payload::default() };
        let slow = Outcome::TimedOut { ms: 5 };
        let stale = Outcome::Stale { what: "a file".into() };
        let unstarted = Outcome::NotStarted { code: "secrets_lost".into() };
        let input = Outcome::InputRequired { request: Payload::inline("more"), state: Payload::default() };
        let untouched = !flight.performed;
        if execute.phase == Phase::Apply {
            // An apply that has begun is completed, or found to conflict before it begins.
            let conflict = if untouched { 1 } else { 0 };
            return weighted(&mut self.rng, done.clone(), &[(8, done), (conflict, failed), (1, slow)]);
        }
        if program {
            let proposed = Outcome::Proposed { change_set: self.change_set() };
            return weighted(&mut self.rng, done, &[(8, proposed), (1, failed), (1, slow)]);
        }
        let rare = if untouched { 4 } else { 0 };
        let choices =
            [(62, done.clone()), (14, failed), (8, slow), (rare, stale), (6, input), (rare / 2, unstarted)];
        weighted(&mut self.rng, done, &choices)
    }

    fn change_set(&mut self) -> ChangeSet {
        let bytes = self.rng.u64(..).to_be_bytes().to_vec();
        let info = self.tables.put_artifact(self.now, "application/octet-stream".into(), vec![bytes]);
        let harmless = chance(&mut self.rng, 40);
        let mut paths = Vec::new();
        for place in 0..self.rng.u32(1..4) {
            let rare = if harmless {
                Verdict::Allow
            } else {
                one(&mut self.rng, Verdict::Ask, &[Verdict::Ask, Verdict::Deny])
            };
            let decision = one(&mut self.rng, Verdict::Allow, &[Verdict::Allow, rare]);
            let ruling = Ruling::new(decision, "path", "sim");
            paths.push(ChangedPath { path: format!("p{place}"), ruling });
        }
        let artifact = ArtifactRef {
            digest: info.digest,
            size: info.size,
            media: info.media,
            excerpt: serde_json::Value::Null,
            truncated: None,
        };
        ChangeSet { digest: artifact.digest, artifact, base: provost_engine::Digest::ZERO, paths }
    }
}

/// A policy hook denies some arguments, asks about others, and sometimes fails.
fn policy_answer(rng: &mut fastrand::Rng, actor: &Actor, subject: Subject) -> HookAnswer {
    let Subject::Action { action } = subject else { return HookAnswer::NoOpinion };
    let args = actor.state.action(action).and_then(|action| action.args.redacted.get("n")?.as_u64());
    let said =
        |decision| HookAnswer::Proceed { ruling: Some(Box::new(Ruling::new(decision, "hook", "sim"))) };
    match args {
        Some(13) => said(Verdict::Deny),
        Some(10..) => said(Verdict::Ask),
        _ if chance(rng, 3) => HookAnswer::Failed { fault: Fault::new("hook_failed", "It failed.") },
        _ => one(rng, HookAnswer::NoOpinion, &[said(Verdict::Allow)]),
    }
}
