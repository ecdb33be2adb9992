//! One worker's part of a run: it reacts, commits, and starts what is due.

use std::collections::BTreeMap;

use provost_engine::event::Phase;
use provost_engine::view::{self, Step};
use provost_engine::{
    Commit, Digest, Effect, EffectId, Epoch, Event, Input, Now, QueuedSignal, Release, RunId, RunState,
    WorkerId, due, react,
};
use provost_runtime::store::CommitError;

use super::Violation;
use super::check::after_crash;
use super::defects::StoreDefect;
use super::generate::Place;
use super::ground::Attempt;
use super::world::{World, fault};

/// How often a commit may be refused in a row.
const REFUSALS_MAX: usize = 10;

/// An actor: what one worker holds in memory of a run.
pub(super) struct Actor {
    pub(super) run: RunId,
    pub(super) epoch: Epoch,
    pub(super) worker: WorkerId,
    pub(super) state: RunState,
    /// The hash of the last record that it knows.
    pub(super) head: Digest,
    pub(super) flights: BTreeMap<EffectId, Flight>,
    pub(super) strict: bool,
    pub(super) draining: bool,
    /// Whether another worker may have taken the run.
    pub(super) zombie: bool,
}

/// An effect that is under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) effect: Effect,
    /// Whether the world has seen it.
    pub(super) performed: bool,
    /// Whether its answer is on its way to the journal.
    pub(super) answered: bool,
    /// The execution that a stop is about.
    pub(super) of: Option<Box<Flight>>,
}

/// What became of an actor after a reaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lives,
    /// It let go of the run.
    Rests,
    Dies,
}

/// What a store made of a commit.
enum Reply {
    Written(Fate),
    /// It was refused: the actor folds again and reacts to the same inputs.
    Again,
    Lost,
}

impl Actor {
    pub(super) fn new(
        run: RunId,
        epoch: Epoch,
        worker: WorkerId,
        state: RunState,
        head: Digest,
        strict: bool,
    ) -> Self {
        let flights = BTreeMap::new();
        Self { run, epoch, worker, state, head, flights, strict, draining: false, zombie: false }
    }
}

impl World {
    /// An actor gets inputs.
    pub(super) fn feed(&mut self, id: u32, inputs: Vec<Input>) -> Result<(), Violation> {
        let Some(mut actor) = self.actors.remove(&id) else { return Ok(()) };
        let mut fate = self.react(&mut actor, inputs)?;
        if fate == Fate::Lives {
            fate = self.start(&mut actor)?;
        }
        match fate {
            Fate::Lives => {
                self.actors.insert(id, actor);
            }
            Fate::Rests => {}
            Fate::Dies => self.die(actor),
        }
        Ok(())
    }

    /// An actor is gone; what it executes may go on.
    pub(super) fn die(&mut self, actor: Actor) {
        self.say(|| format!("{} loses its actor of epoch {}", actor.run, actor.epoch));
        self.lost_worker(&actor.run);
        self.unburied.push(actor.worker.clone());
        let stopped = actor.flights.into_values().map(|flight| match flight.of {
            Some(of) => *of,
            None => flight,
        });
        for flight in stopped {
            if matches!(&flight.effect, Effect::Execute(execute) if execute.phase == Phase::Apply) {
                // The worst moment for a policy to change.
                self.strict ^= fault(self, 30);
            }
            if let Effect::Execute(execute) = &flight.effect
                && !flight.performed
            {
                let attempt = Attempt {
                    run: actor.run.clone(),
                    action: execute.action,
                    attempt: execute.attempt,
                    phase: execute.phase,
                };
                self.ground.orphans.push((attempt, actor.epoch));
            }
        }
    }

    fn react(&mut self, actor: &mut Actor, mut inputs: Vec<Input>) -> Result<Fate, Violation> {
        for _ in 0..REFUSALS_MAX {
            let now = self.now_of(&actor.run, actor.draining);
            let events = react(&mut actor.state, &now, inputs.clone())
                .map_err(|illegal| Violation::new(&actor.run, illegal.to_string()))?;
            if events.is_empty() {
                return Ok(Fate::Lives);
            }
            match self.commit(actor, &now, &events)? {
                Reply::Written(fate) => return Ok(fate),
                Reply::Lost => return Ok(Fate::Dies),
                Reply::Again => {
                    actor.state = self.fold(&actor.run, actor.strict)?;
                    if actor.state.epoch > actor.epoch {
                        return Ok(Fate::Dies);
                    }
                    if self.defect == Some(StoreDefect::InputsDropped) {
                        inputs.retain(|input| matches!(input, Input::Claimed { .. }));
                    }
                    let signals = self.signals(&actor.run, usize::MAX);
                    inputs.retain(|input| !matches!(input, Input::Signals(_)));
                    inputs.push(Input::Signals(signals));
                }
            }
        }
        Err(Violation::new(&actor.run, "a commit is refused for ever"))
    }

    /// Returns the first signals of a run's queue.
    pub(super) fn signals(&self, run: &RunId, most: usize) -> Vec<QueuedSignal> {
        let taken = self.tables.listed_run(run).map(|listed| listed.row.taken).unwrap_or_default();
        let waiting = self.tables.signals(run, taken, most).into_iter();
        let read = |signal: provost_runtime::store::Signal| {
            let body = serde_json::from_value(signal.body?).ok()?;
            Some(QueuedSignal { id: signal.id, from: signal.from, body })
        };
        waiting.filter_map(read).collect()
    }

    fn commit(&mut self, actor: &mut Actor, now: &Now, events: &[Event]) -> Result<Reply, Violation> {
        let unwritable = |error: serde_json::Error| Violation::new(&actor.run, error.to_string());
        let step = view::step(&actor.state, now, actor.head, events).map_err(unwritable)?;
        let (mut step, children) = self.with_children(step)?;
        let fate = self.release(actor, now, &mut step);
        self.commits += 1;
        let cut = self.faults.crash_at.filter(|(at, _)| *at == self.commits).map(|(_, after)| after);
        if cut == Some(false) || fault(self, 2) {
            self.count("crash before a commit");
            return Ok(Reply::Lost);
        }
        if fault(self, 2) {
            self.count("commit refused at random");
            return Ok(Reply::Again);
        }
        self.spoil(actor, &mut step.commit);
        match self.tables.commit(self.now, &step.commit) {
            Ok(committed) if committed.already => {
                return Err(Violation::new(&actor.run, "a first commit was known already"));
            }
            Ok(_) => {}
            Err(CommitError::Fenced { .. }) => {
                self.count("fenced");
                return Ok(Reply::Lost);
            }
            Err(CommitError::SignalsPending { .. }) => {
                self.count("end refused");
                return Ok(Reply::Again);
            }
            Err(error) => return Err(Violation::new(&actor.run, format!("a commit is refused: {error}"))),
        }
        actor.head = step.head;
        self.written(&actor.run, &step.commit.records, events)?;
        for (child, events) in children {
            self.written(&child, &child_records(&step, &child), &events)?;
        }
        self.checker.committed(&actor.run, &step.commit)?;
        if fault(self, 3) {
            self.count("commit sent twice");
            let again = self.tables.commit(self.now, &step.commit);
            if !again.is_ok_and(|committed| committed.already) {
                return Err(Violation::new(&actor.run, "a commit sent twice is not recognised"));
            }
        }
        self.look_at(actor)?;
        if (cut == Some(true) || fault(self, 2)) && fate == Fate::Lives {
            self.count("crash after a commit");
            after_crash(self, actor)?;
            return Ok(Reply::Lost);
        }
        Ok(Reply::Written(fate))
    }

    /// Does to a commit what a planted defect does.
    fn spoil(&self, actor: &Actor, commit: &mut Commit) {
        match self.defect {
            Some(StoreDefect::EndsWithSignals) if actor.state.ended.is_some() => {
                let inbox = self.tables.listed_run(&actor.run).map(|listed| listed.row.inbox);
                commit.signals_taken = inbox.filter(|inbox| inbox.0 > 0);
            }
            Some(StoreDefect::ChildAnswersDropped) => commit.answers.clear(),
            Some(StoreDefect::SessionEntriesDropped) => {
                commit.session.iter_mut().for_each(|session| session.entries.truncate(1));
            }
            Some(StoreDefect::WaitRowsDropped) => commit.waits_opened.truncate(1),
            Some(StoreDefect::EndsWithSignals | StoreDefect::InputsDropped) | None => {}
        }
    }

    /// Adds the children that a step begins.
    #[expect(clippy::type_complexity, reason = "the children with their events")]
    fn with_children(&mut self, mut step: Step) -> Result<(Step, Vec<(RunId, Vec<Event>)>), Violation> {
        let mut children = Vec::new();
        for order in std::mem::take(&mut step.children) {
            let place = Place {
                run: order.run.clone(),
                session: None,
                parent: Some(order.assignment),
                strict: self.strict,
            };
            let (new, events) = self.new_run(place)?;
            step.commit.runs_accepted.push(new);
            children.push((order.run, events));
        }
        Ok((step, children))
    }

    /// Decides whether the actor lets go of the run with this step.
    fn release(&mut self, actor: &Actor, now: &Now, step: &mut Step) -> Fate {
        let queue = self.tables.listed_run(&actor.run).map(|listed| (listed.row.taken, listed.row.inbox));
        let all_taken =
            queue.is_some_and(|(taken, inbox)| step.commit.signals_taken.unwrap_or(taken) == inbox);
        let Some(row) = &mut step.commit.row else { return Fate::Lives };
        if actor.state.ended.is_some() {
            return Fate::Rests;
        }
        let under_way = due(&actor.state, now).iter().any(|effect| !matches!(effect, Effect::WakeAt(_)));
        if under_way || !all_taken || actor.draining || super::dice::chance(&mut self.rng, 10) {
            return Fate::Lives;
        }
        row.release = Release::Rest;
        Fate::Rests
    }

    /// Starts what is due and not under way, and drops what is no longer due.
    fn start(&mut self, actor: &mut Actor) -> Result<Fate, Violation> {
        let now = self.now_of(&actor.run, actor.draining);
        let effects: BTreeMap<EffectId, Effect> =
            due(&actor.state, &now).into_iter().map(|effect| (effect.id(), effect)).collect();
        self.checker.due(&actor.run, actor.epoch, effects.values())?;
        for (id, flight) in std::mem::take(&mut actor.flights) {
            if effects.contains_key(&id) {
                actor.flights.insert(id, flight);
                continue;
            }
            let Effect::Execute(execute) = &flight.effect else { continue };
            if flight.answered {
                continue;
            }
            let stop = EffectId::Stop(execute.action, execute.attempt);
            let Some(effect) = effects.get(&stop) else {
                return Err(Violation::new(&actor.run, format!("{id:?} is no longer due and not stopped")));
            };
            let (effect, of) = (effect.clone(), Some(Box::new(flight)));
            actor.flights.insert(stop, Flight { effect, performed: false, answered: false, of });
        }
        for (id, effect) in effects {
            if matches!(effect, Effect::WakeAt(_)) || actor.flights.contains_key(&id) || actor.draining {
                continue;
            }
            let mut flight = Flight { effect, performed: false, answered: false, of: None };
            if super::dice::chance(&mut self.rng, 50) {
                self.perform(actor, &mut flight)?;
            }
            let hook = matches!(flight.effect, Effect::Hook { .. } | Effect::Preview { .. });
            actor.flights.insert(id, flight);
            self.starts += usize::from(!hook);
            if !hook && self.faults.kill_at == Some(self.starts) {
                after_crash(self, actor)?;
                return Ok(Fate::Dies);
            }
        }
        Ok(Fate::Lives)
    }

    /// The effect of an execution happens.
    pub(super) fn perform(&mut self, actor: &Actor, flight: &mut Flight) -> Result<(), Violation> {
        let Effect::Execute(execute) = &flight.effect else { return Ok(()) };
        if flight.performed {
            return Ok(());
        }
        flight.performed = true;
        let (run, action, phase) = (actor.run.clone(), execute.action, execute.phase);
        if phase == Phase::Run && !self.checker.touches_world(&run, action) {
            return Ok(());
        }
        let attempt = Attempt { run, action, attempt: execute.attempt, phase };
        let journal = self.journals.get(&actor.run).map(Vec::as_slice).unwrap_or_default();
        self.ground.perform(&attempt, actor.epoch, journal)
    }
}

fn child_records(step: &Step, child: &RunId) -> Vec<provost_engine::Record> {
    let accepted = step.commit.runs_accepted.iter().filter(|new| new.run == *child);
    accepted.flat_map(|new| new.records.clone()).collect()
}
