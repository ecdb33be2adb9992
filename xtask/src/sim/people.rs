//! What comes from outside: people, clients, clocks, policies, and accidents.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_engine::event::{
    ActionEnd, Answer, Choice, Decision, Lasts, MessageMode, Outcome, Phase, Probe, Remember, Signal,
};
use provost_engine::{
    Actor as By, ActorKind, AnswerPost, Covers, Effect, EffectId, Input, Payload, RunId, SignalPost, Usage,
    WorldEffect,
};
use provost_runtime::store::{NewSession, Said, SayPost, Wait, WaitFilter};
use serde_json::json;

use super::Violation;
use super::dice::{chance, one};
use super::generate::{self, WORKSPACE};
use super::ground::Attempt;
use super::world::World;

fn person() -> By {
    By::new(ActorKind::Person, "user:ada")
}

impl World {
    /// Something happens.
    pub(super) fn step(&mut self) -> Result<(), Violation> {
        match self.rng.u32(..100) {
            0..=49 => self.act(),
            50..=61 => self.claim(),
            62..=73 => self.answer_one(),
            74..=79 => {
                let ms = one(&mut self.rng, 50, &[500, 3_000, 12_000, 45_000]);
                self.pass_time(ms);
                Ok(())
            }
            80..=81 => self.accident(),
            82..=84 => self.orphan(),
            85..=87 => self.bury(),
            88..=90 => self.signal(),
            91..=92 if self.faults.random => {
                self.strict = !self.strict;
                Ok(())
            }
            93..=94 => self.deliver_late(),
            95..=96 => self.chat(),
            _ => self.act(),
        }
    }

    /// An actor takes signals, gets an answer of an effect, or looks at the clock.
    fn act(&mut self) -> Result<(), Violation> {
        let ids: Vec<u32> = self.actors.keys().copied().collect();
        let Some(id) = self.rng.choice(ids) else { return Ok(()) };
        let Some(actor) = self.actors.get(&id) else { return Ok(()) };
        if actor.zombie && chance(&mut self.rng, 60) {
            return Ok(());
        }
        let flights: Vec<EffectId> =
            actor.flights.iter().filter(|(_, flight)| !flight.answered).map(|(id, _)| *id).collect();
        let (run, draining) = (actor.run.clone(), actor.draining);
        let most = if chance(&mut self.rng, 50) { usize::MAX } else { 1 };
        let signals = self.signals(&run, most);
        if !signals.is_empty() && (flights.is_empty() || chance(&mut self.rng, 45)) {
            return self.feed(id, vec![Input::Signals(signals)]);
        }
        if let Some(effect) = self.rng.choice(flights) {
            return self.finish(id, effect);
        }
        self.feed(id, vec![Input::Tick])?;
        let idle = self.actors.get(&id).is_some_and(|actor| actor.flights.is_empty());
        if idle
            && (draining || chance(&mut self.rng, 30))
            && let Some(actor) = self.actors.remove(&id)
        {
            self.lost_worker(&actor.run);
            self.tables.bury(self.now, &actor.worker);
        }
        Ok(())
    }

    fn waits(&self) -> Vec<Wait> {
        self.tables.list_waits(&WaitFilter::default(), None, usize::MAX - 1).items
    }

    /// A person or a client answers a wait.
    fn answer_one(&mut self) -> Result<(), Violation> {
        let waits = self.waits();
        let Some(wait) = self.rng.choice(waits) else { return Ok(()) };
        let row = &wait.row;
        let mut binding = None;
        let answer = match row.kind.as_str() {
            "approval" => {
                binding = Some(row.binding);
                self.verdicts(&wait)
            }
            "in_doubt" => self.about_doubt(),
            "signal" => {
                let name = one(&mut self.rng, "s0", &["s1"]).to_owned();
                self.post(&row.wait.run.clone(), &Signal::External { name, payload: json!(1) });
                return Ok(());
            }
            "client" => return self.client(&wait),
            "question" | "input" => self.result(),
            _ => return Ok(()),
        };
        self.reply(&wait, binding, &answer);
        if chance(&mut self.rng, 10) {
            self.reply(&wait, binding, &answer);
        }
        Ok(())
    }

    fn reply(&mut self, wait: &Wait, binding: Option<provost_engine::Digest>, answer: &Answer) {
        let answer = serde_json::to_value(answer).unwrap_or_default();
        let post =
            AnswerPost { wait: wait.row.wait.clone(), by: person(), binding, answer, sealed: Vec::new() };
        let answered = self.tables.answer(self.now, &post).is_ok();
        self.count(if answered { "answer" } else { "answer refused" });
        self.say(|| format!("{} answered: {answered}", wait.row.wait));
    }

    fn verdicts(&mut self, wait: &Wait) -> Answer {
        let about_changes = wait.row.ask.get("change_set").is_some();
        let mut verdicts = BTreeMap::new();
        for action in &wait.row.actions {
            let edits = !about_changes && chance(&mut self.rng, 15);
            let edit = edits.then(|| generate::args(&mut self.rng));
            let approve = Decision::Approve { edit };
            let reject = Decision::Reject { reason: String::new() };
            let decision = one(&mut self.rng, approve.clone(), &[approve.clone(), approve, reject]);
            if !chance(&mut self.rng, 3) {
                verdicts.insert(*action, decision);
            }
        }
        let remember = chance(&mut self.rng, 25).then(|| {
            let soon = Lasts::Until(self.now.plus_ms(5_000));
            let lasts = one(&mut self.rng, Lasts::Run, &[Lasts::Always, soon]);
            Remember { lasts, covers: one(&mut self.rng, Covers::Tool, &[Covers::Call]) }
        });
        Answer::Verdicts { verdicts, remember, binding: wait.row.binding, reason: String::new() }
    }

    fn about_doubt(&mut self) -> Answer {
        let reason = String::new();
        let happened = Answer::Happened { payload: Payload::inline("seen"), reason: reason.clone() };
        one(&mut self.rng, Answer::Again { reason: reason.clone() }, &[Answer::Leave { reason }, happened])
    }

    fn result(&mut self) -> Answer {
        let good = chance(&mut self.rng, 85);
        Answer::Result {
            payload: Payload::inline("answer"),
            status: if good { ActionEnd::Completed } else { ActionEnd::Failed },
            satisfying: good,
            effect: WorldEffect::None,
            usage: Usage::default(),
        }
    }

    /// A client executes its tool, and mostly says so.
    fn client(&mut self, wait: &Wait) -> Result<(), Violation> {
        let run = wait.row.wait.run.clone();
        let Some(action) = wait.row.actions.first().copied() else { return Ok(()) };
        let Some((attempt, epoch)) = self.checker.open_attempt(&run, action) else { return Ok(()) };
        let attempt = Attempt { run: run.clone(), action, attempt, phase: Phase::Run };
        if self.checker.touches_world(&run, action) && !self.ground.happened(&attempt) {
            let journal = self.journals.get(&run).map(Vec::as_slice).unwrap_or_default();
            self.ground.perform(&attempt, epoch, journal)?;
        }
        if chance(&mut self.rng, 85) {
            let answer = self.result();
            self.reply(wait, None, &answer);
        }
        Ok(())
    }

    fn post(&mut self, run: &RunId, signal: &Signal) {
        let body = serde_json::to_value(signal).unwrap_or_default();
        let post = SignalPost { run: run.clone(), key: None, from: person(), body };
        let posted = match signal {
            Signal::Resume { .. } => self.tables.resume(self.now, &post).is_ok(),
            _ => self.tables.post(self.now, &post).is_ok(),
        };
        self.say(|| format!("{run} gets {signal:?}: {posted}"));
    }

    /// A signal is sent to some run.
    fn signal(&mut self) -> Result<(), Violation> {
        let runs: Vec<RunId> = self.journals.keys().cloned().collect();
        let Some(run) = self.rng.choice(runs).filter(|_| self.faults.random) else { return Ok(()) };
        let reason = String::new();
        let actions = self.checker.actions(&run);
        let action = self.rng.choice(&actions).copied();
        let signal = match (self.rng.u32(..100), action) {
            (0..=34, _) => self.message(),
            (35..=41, _) => Signal::Cancel { actions: None, reason },
            (42..=54, Some(action)) => Signal::Cancel { actions: Some(vec![action]), reason },
            (55..=62, _) => {
                Signal::External { name: one(&mut self.rng, "s0", &["s1"]).to_owned(), payload: json!(2) }
            }
            (63..=72, _) => {
                let standing = self.tables.standing(WORKSPACE);
                let Some(approval) = self.rng.choice(standing) else { return Ok(()) };
                let scope = approval.scope.clone();
                let grant = chance(&mut self.rng, 60).then(|| Box::new(approval));
                Signal::Standing { scope, grant }
            }
            (73..=87, _) => Signal::Resume { budgets: self.checker.raised(&run), reason, declaration: None },
            (_, Some(action)) => {
                let choice = one(&mut self.rng, Choice::Retry, &[Choice::Skip, Choice::Accept]);
                Signal::Decide { action, choice, reason }
            }
            _ => return Ok(()),
        };
        self.post(&run, &signal);
        Ok(())
    }

    fn message(&mut self) -> Signal {
        let modes = [MessageMode::Enqueue, MessageMode::Steer];
        Signal::Message {
            message: Arc::new(Message::text("user", "And now?")),
            mode: one(&mut self.rng, MessageMode::Supersede, &modes),
            leaves_doubt: chance(&mut self.rng, 30),
        }
    }

    /// A worker is killed, asked to stop, or taken for dead.
    fn accident(&mut self) -> Result<(), Violation> {
        let ids: Vec<u32> = self.actors.keys().copied().collect();
        let Some(id) = self.rng.choice(ids).filter(|_| self.faults.random) else { return Ok(()) };
        match self.rng.u32(..3) {
            0 => {
                self.count("kill");
                let Some(actor) = self.actors.remove(&id) else { return Ok(()) };
                super::check::after_crash(self, &actor)?;
                self.die(actor);
                Ok(())
            }
            1 => {
                let Some(actor) = self.actors.get_mut(&id) else { return Ok(()) };
                actor.zombie = true;
                let (worker, run) = (actor.worker.clone(), actor.run.clone());
                self.lost_worker(&run);
                self.count("taken for dead");
                self.tables.bury(self.now, &worker);
                Ok(())
            }
            _ => self.drain(id),
        }
    }

    /// A worker shuts down: nothing new begins, and what it still runs is given up for certain.
    fn drain(&mut self, id: u32) -> Result<(), Violation> {
        self.count("drain");
        let Some(actor) = self.actors.get_mut(&id) else { return Ok(()) };
        actor.draining = true;
        let running: Vec<EffectId> = actor.flights.keys().copied().collect();
        for effect in running {
            let Some(actor) = self.actors.get_mut(&id) else { break };
            let Some(flight) = actor.flights.get_mut(&effect).filter(|flight| !flight.answered) else {
                continue;
            };
            let (action, attempt) = match (&flight.effect, &flight.of) {
                (Effect::Execute(execute), _) => (execute.action, execute.attempt),
                (Effect::Stop { action, attempt }, Some(_)) => (*action, *attempt),
                _ => continue,
            };
            // It is certain that it does not run any more, so it must not happen later.
            (flight.answered, flight.performed, flight.of) = (true, true, None);
            let outcome = Outcome::Lost { gone: true, probe: Probe::Unknown, result: None };
            self.feed(id, vec![Input::Outcome { action, attempt, outcome, usage: Usage::default() }])?;
        }
        if let Some(actor) = self.actors.remove(&id) {
            self.lost_worker(&actor.run);
            self.tables.bury(self.now, &actor.worker);
        }
        Ok(())
    }

    /// The effect of a process without a worker happens after all.
    fn orphan(&mut self) -> Result<(), Violation> {
        if self.ground.orphans.is_empty() {
            return Ok(());
        }
        let place = self.rng.usize(..self.ground.orphans.len());
        let (attempt, epoch) = self.ground.orphans.swap_remove(place);
        let real = attempt.phase == Phase::Apply || self.checker.touches_world(&attempt.run, attempt.action);
        if real && !self.ground.happened(&attempt) {
            self.count("effect of an orphan");
            let journal = self.journals.get(&attempt.run).map(Vec::as_slice).unwrap_or_default();
            self.ground.perform(&attempt, epoch, journal)?;
        }
        Ok(())
    }

    /// Runs of dead workers are freed.
    fn bury(&mut self) -> Result<(), Violation> {
        for worker in std::mem::take(&mut self.unburied) {
            self.tables.bury(self.now, &worker);
        }
        Ok(())
    }

    /// An answer arrives a second time, long after it counted.
    fn deliver_late(&mut self) -> Result<(), Violation> {
        if self.late.is_empty() {
            return Ok(());
        }
        let place = self.rng.usize(..self.late.len());
        let (run, input) = self.late.swap_remove(place);
        let actor = self.actors.values().find(|actor| actor.run == run && !actor.zombie);
        let Some(actor) = actor else { return Ok(()) };
        let repeatable = matches!(input, Input::Hook { .. } | Input::Preview { .. } | Input::Note { .. });
        if repeatable {
            return Ok(());
        }
        let now = self.now_of(&run, actor.draining);
        let (mut with, mut without) = (actor.state.clone(), actor.state.clone());
        let illegal = |illegal: provost_engine::Illegal| Violation::new(&run, illegal.to_string());
        let late = provost_engine::react(&mut with, &now, vec![input.clone()]).map_err(illegal)?;
        let nothing = provost_engine::react(&mut without, &now, vec![Input::Tick]).map_err(illegal)?;
        if late != nothing {
            return Err(Violation::new(&run, format!("a late answer changes something: {input:?} {late:?}")));
        }
        Ok(())
    }

    /// The next message of a conversation.
    fn chat(&mut self) -> Result<(), Violation> {
        let sessions = self.tables.list_sessions(&provost_runtime::store::SessionFilter::default(), None, 4);
        let Some(session) =
            self.rng.choice(sessions.items).filter(|_| self.faults.random || self.commits < 30)
        else {
            return Ok(());
        };
        if self.journals.len() > 12 {
            return Ok(());
        }
        let id = session.about.session.clone();
        let body = serde_json::to_value(self.message()).unwrap_or_default();
        let say = SayPost { session: id.clone(), dedupe: None, from: person(), body };
        match self.tables.say(self.now, &say) {
            Ok(Said::Idle { .. }) => self.accept(Some(id)),
            Ok(Said::Posted { .. }) if chance(&mut self.rng, 20) => self.accept(Some(id)),
            Ok(Said::Posted { .. } | Said::Repeated { .. }) | Err(_) => Ok(()),
        }
    }

    /// A conversation begins.
    pub(super) fn open_session(&mut self) -> Result<provost_engine::SessionId, Violation> {
        let name = self.name("s");
        let session: provost_engine::SessionId =
            name.parse().map_err(|_| Violation::new(&name, "not a name"))?;
        let new = NewSession {
            session: session.clone(),
            workspace: WORKSPACE.into(),
            owner: "user:ada".into(),
            agent: "agent-0".into(),
            context: String::new(),
            title: None,
            metadata: serde_json::Value::Null,
        };
        self.tables
            .create_session(self.now, &new)
            .map_err(|error| Violation::new(&name, error.to_string()))?;
        Ok(session)
    }
}
