//! What was decided about the run as a whole, and what people and the model said about its actions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Decided, Reader};
use crate::event::{
    Choice, DeclarationAccepted, Event, Ignored, ResponseRefused, RunClaimed, Signal, SignalTaken, Stop,
};
use crate::state::RunState;
use crate::{Actor, StandingApproval};

impl Reader {
    pub(super) fn claimed(&mut self, state: &RunState, event: &Event, claimed: &RunClaimed) {
        claimed.worker.as_str().clone_into(&mut self.worker);
        if claimed.policy != state.policy {
            let decided = Decided::at(state, event).what("goes on under another policy").layer("policy");
            self.all.push(decided.because("what has not started is judged again"));
        }
    }

    pub(super) fn signal(&mut self, state: &RunState, event: &Event, taken: &SignalTaken) {
        let by = &taken.from;
        let decided = Decided::at(state, event).by(by);
        if let Some(ignored) = taken.ignored {
            let what = format!("the {} of {} changes nothing", word(&taken.body), by.name());
            self.all.push(decided.what(what).because(because(ignored)));
            return;
        }
        match &taken.body {
            Signal::Cancel { actions: None, reason } => {
                self.all.push(decided.what(format!("cancelled by {}", by.name())).because(reason));
            }
            Signal::Cancel { actions: Some(actions), reason } => {
                for id in actions {
                    let about = self.about(state, event, *id).by(by).because(reason);
                    self.all.push(about.what(format!("cancelled by {}", by.name())));
                }
            }
            Signal::Resume { budgets, reason, .. } => {
                let decided = decided.what(format!("resumed by {}", by.name()));
                self.all.push(decided.because(raised(budgets, reason)));
            }
            Signal::Decide { action, choice, reason } => {
                let about = self.about(state, event, *action).by(by).because(reason);
                self.all.push(about.what(chosen(*choice, by)));
            }
            Signal::Standing { scope, grant } => {
                self.all.push(standing(decided, scope, grant.as_deref(), by));
            }
            // These are no decisions; an answer that counts is a settlement.
            Signal::Message { .. }
            | Signal::Submit { .. }
            | Signal::External { .. }
            | Signal::Answer { .. } => {}
        }
    }

    pub(super) fn stopping(&mut self, state: &RunState, event: &Event, stop: &Stop) {
        let decided = Decided::at(state, event);
        let decided = match stop {
            Stop::Budget { name, used, limit, .. } => {
                decided.what("stops").layer("budget").rule(name).because(format!("{used} of {limit} used"))
            }
            Stop::Stalled { .. } => decided.what("stops: the model repeats itself").layer("stall"),
            Stop::Interrupted { code, message } => {
                let said = message.as_ref().and_then(|message| message.content.as_text());
                decided.what("stops").layer("interrupt").rule(code).because(said.unwrap_or_default())
            }
            Stop::Failed { fault } => {
                decided.what("stops").layer("failure").rule(&fault.code).because(&fault.message)
            }
            Stop::Completed { by } => decided.what("stops: the work is done").layer(by),
            // The signal says so.
            Stop::Cancelled { .. } => return,
        };
        self.all.push(decided);
    }

    pub(super) fn refused(&mut self, state: &RunState, event: &Event, refused: &ResponseRefused) {
        let reason = refused.reasons.first().cloned().unwrap_or_default();
        let decided = Decided::at(state, event).because(reason);
        self.all.push(match refused.code.as_str() {
            "completion_blocked" => decided.what("may not end yet").layer("gate"),
            code => decided.what("the response cannot be used").layer("engine").rule(code),
        });
    }

    /// What a declaration decides about actions of earlier ones.
    pub(super) fn declared(&mut self, state: &RunState, event: &Event, accepted: &DeclarationAccepted) {
        let by = &event.actor;
        for id in &accepted.cancel {
            let about = self.about(state, event, *id).by(by);
            self.all.push(about.what(format!("cancelled by {}", by.name())));
        }
        for (old, new) in &accepted.replace {
            let with = accepted.add.iter().find(|spec| spec.id == *new);
            let with = with.map_or_else(|| new.to_string(), |spec| spec.label.clone());
            let about = self.about(state, event, *old).by(by);
            self.all.push(about.what(format!("gives way to {with}")));
        }
        for (id, choice) in &accepted.decide {
            let about = self.about(state, event, *id).by(by);
            self.all.push(about.what(chosen(*choice, by)));
        }
    }
}

fn word(signal: &Signal) -> &'static str {
    match signal {
        Signal::Message { .. } => "message",
        Signal::Cancel { .. } => "cancel",
        Signal::Resume { .. } => "resume",
        Signal::Submit { .. } => "declaration",
        Signal::Decide { .. } => "decision",
        Signal::External { .. } => "signal",
        Signal::Standing { .. } => "standing approval",
        Signal::Answer { .. } => "answer",
    }
}

fn because(ignored: Ignored) -> &'static str {
    match ignored {
        Ignored::Settled => "the run had settled the question before",
        Ignored::Ended => "the run is over",
        Ignored::NotResumable => "the run cannot be resumed",
        Ignored::NotDecidable => "the action has not ended, or cannot be decided about",
        Ignored::NotAcceptable => "it names actions that do not exist, or cannot be changed any more",
        Ignored::Cancelling => "the run is being cancelled already",
        Ignored::NothingOpen => "nothing that it names is open",
        Ignored::NoModel => "the run asks no model",
    }
}

/// The budgets that a resume raises, and its reason.
fn raised(budgets: &BTreeMap<String, u64>, reason: &str) -> String {
    let budgets = budgets.iter().map(|(name, limit)| format!("{name}={limit}"));
    let reason = (!reason.is_empty()).then(|| reason.to_owned());
    budgets.chain(reason).collect::<Vec<_>>().join(", ")
}

fn chosen(choice: Choice, by: &Actor) -> String {
    let what = match choice {
        Choice::Retry => "is tried again",
        Choice::Skip => "is left out",
        Choice::Accept => "is passed over",
    };
    format!("{what}, as {} decided", by.name())
}

/// A question that need not be asked again, or is asked again. A revoked one is known by its scope alone.
fn standing(decided: Decided, scope: &str, grant: Option<&StandingApproval>, by: &Actor) -> Decided {
    let named = || {
        let scope: Value = serde_json::from_str(scope).unwrap_or_default();
        scope.get(4).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    match grant {
        Some(grant) => {
            let what = format!("has a standing approval of {}", grant.by.name());
            let reason = grant.reason.clone().unwrap_or_default();
            Decided { tool: grant.tool.clone(), ..decided }.what(what).because(reason)
        }
        None => {
            let what = format!("its standing approval is revoked by {}", by.name());
            Decided { tool: named(), ..decided }.what(what)
        }
    }
}
