//! Plays a run in waves: everything that is due starts together, and ends together.

use std::collections::BTreeSet;

use provost_engine::event::{Answer, Decision, Next, Outcome, Signal, WaitKind, WaitsOn};
use provost_engine::{
    ActionId, Actor, ActorKind, Digest, Effect, Epoch, EventKind, Fault, Illegal, Input, Now, Payload,
    QueuedSignal, RunState, SignalId, Usage, due, react, wake_at,
};
use serde_json::Value;

/// Whether a person refuses the action before it begins.
pub(super) fn is_blocked(script: &Value) -> bool {
    word(script, 1) == Some("blocked")
}

/// What the script says of an attempt; its last word holds for every later attempt.
fn word(script: &Value, attempt: u32) -> Option<&str> {
    match script.get("outcome")? {
        Value::Array(words) => words.get(attempt as usize - 1).or(words.last())?.as_str(),
        word => word.as_str(),
    }
}

fn is_gate(kind: &WaitKind) -> bool {
    matches!(kind, WaitKind::Approval { .. })
}

/// A run that is played.
pub(super) struct Waves<'a> {
    state: &'a mut RunState,
    scripts: &'a [Value],
    now: Now,
    cancel_after: Option<usize>,
    /// The actions of the waves so far.
    seen: BTreeSet<ActionId>,
    signals: u64,
}

impl<'a> Waves<'a> {
    pub(super) fn new(state: &'a mut RunState, scripts: &'a [Value], cancel_after: Option<usize>) -> Self {
        Self { state, scripts, now: Now::default(), cancel_after, seen: BTreeSet::new(), signals: 0 }
    }

    /// Plays the run until nothing is due; returns the labels of every wave.
    pub(super) fn play(mut self) -> Result<Vec<Vec<String>>, Illegal> {
        let mut waves: Vec<Vec<String>> = Vec::new();
        let mut inputs = vec![Input::Claimed {
            epoch: Epoch(1),
            worker: "worker".parse().map_err(|_| self.defect("a worker has a name"))?,
            compiled: Digest::of(b"agent"),
            policy: self.state.policy,
            standing: Vec::new(),
        }];
        loop {
            // The end of a wave and the cancel are one step: nothing starts between them.
            if self.cancel_after == Some(waves.len()) {
                inputs.push(self.signal(Signal::Cancel { actions: None, reason: String::new() }));
            }
            react(self.state, &self.now, inputs)?;
            let wave = self.begun();
            if wave.is_empty() {
                return Ok(waves);
            }
            let new: Vec<ActionId> = wave.iter().copied().filter(|id| self.seen.insert(*id)).collect();
            if !new.is_empty() {
                waves.push(
                    new.iter().filter_map(|id| Some(self.state.action(*id)?.spec.label.clone())).collect(),
                );
            }
            for id in &wave {
                self.repeat(*id)?;
            }
            inputs = wave.iter().filter_map(|id| self.end_of(*id)).collect();
        }
    }

    fn defect(&self, problem: &str) -> Illegal {
        Illegal { seq: self.state.seq, kind: "script", problem: problem.to_owned() }
    }

    /// The actions that run, or that a person is asked about, in the order of their declaration.
    fn begun(&mut self) -> Vec<ActionId> {
        let effects = due(self.state, &self.now);
        let running = effects.iter().filter_map(|effect| match effect {
            Effect::Execute(execute) => Some(execute.action),
            _ => None,
        });
        let asked =
            self.state.waits.values().filter(|wait| is_gate(&wait.kind)).flat_map(|wait| &wait.actions);
        let begun: BTreeSet<ActionId> = running.chain(asked.copied()).collect();
        begun.into_iter().collect()
    }

    /// Lets the attempts of an action that are followed by another one fail, inside its wave.
    fn repeat(&mut self, id: ActionId) -> Result<(), Illegal> {
        while let Some(input) = self.end_of(id).filter(|input| matches!(input, Input::Outcome { .. })) {
            let mut tried = self.state.clone();
            let events = react(&mut tried, &self.now, vec![input])?;
            let again = events.iter().any(|event| match &event.kind {
                EventKind::AttemptEnded(ended) => {
                    ended.action == id && matches!(ended.next, Next::Retry { .. })
                }
                _ => false,
            });
            if !again {
                return Ok(());
            }
            *self.state = tried;
            if let Some(time) = wake_at(self.state, &self.now) {
                self.now.wall = time;
            }
            react(self.state, &self.now, vec![Input::Tick])?;
        }
        Ok(())
    }

    /// How the open attempt of an action ends, or the answer to the question about it.
    fn end_of(&mut self, id: ActionId) -> Option<Input> {
        let action = self.state.action(id)?;
        if let Some(number) = action.wait {
            let wait = self.state.waits.get(&number).filter(|wait| is_gate(&wait.kind))?;
            let reason = "The script blocks it.".to_owned();
            let verdicts = [(id, Decision::Reject { reason: reason.clone() })].into();
            let answer = Answer::Verdicts { verdicts, remember: None, binding: wait.binding, reason };
            let wait = self.state.wait_id(number);
            return Some(self.signal(Signal::Answer { wait, answer }));
        }
        let attempt = action.attempt;
        let script = self.scripts.get(usize::try_from(id.index).ok()?)?;
        let is_due = due(self.state, &self.now).iter().any(|effect| match effect {
            Effect::Execute(execute) => execute.action == id,
            _ => false,
        });
        let outcome = match word(script, attempt) {
            Some("completed") => {
                Outcome::Completed { result: Payload::default(), goal: true, satisfying: true }
            }
            Some("waiting") => Outcome::Waits { on: WaitsOn::Person, ask: Payload::default() },
            _ => Outcome::Failed {
                fault: Fault::new("failed", "The script says so."),
                result: Payload::default(),
            },
        };
        is_due.then_some(Input::Outcome { action: id, attempt, outcome, usage: Usage::default() })
    }

    fn signal(&mut self, body: Signal) -> Input {
        self.signals += 1;
        let from = Actor::new(ActorKind::Person, "user");
        Input::Signals(vec![QueuedSignal { id: SignalId(self.signals), from, body }])
    }
}
