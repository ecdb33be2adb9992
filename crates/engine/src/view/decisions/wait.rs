//! What was asked, and what was answered.

use std::collections::BTreeMap;

use provost_contract::timestamp;
use serde_json::Value;

use super::{Decided, Reader};
use crate::event::{Answer, Decision, Event, Lasts, Remember, Settlement, WaitKind, WaitOpened, WaitSettled};
use crate::state::{OpenWait, RunState};
use crate::view::waiting;
use crate::{ActionId, Actor, Covers};

impl Reader {
    pub(super) fn opened(&mut self, state: &RunState, event: &Event, opened: &WaitOpened) {
        for id in &opened.actions {
            let decided = self.about(state, event, *id);
            let ruling = state.action(*id).and_then(|action| waiting::ruling(opened, action));
            self.all.push(asked(decided, opened, ruling));
        }
    }

    pub(super) fn settled(&mut self, state: &RunState, event: &Event, settled: &WaitSettled) {
        let number = settled.wait.number;
        let Some(wait) = state.waits.get(&number) else { return };
        for id in &wait.actions {
            let Some((what, reason)) = settled_what(wait, *id, settled) else { continue };
            let decided = self.about(state, event, *id).what(what).because(reason);
            let decided = match settled.how {
                Settlement::Withdrawn => decided.layer("engine"),
                Settlement::Answered | Settlement::Expired | Settlement::Superseded => {
                    decided.by(&settled.by)
                }
            };
            let word = Decided { what: allowed_by(&settled.by), ..decided.clone() };
            if decided.what.starts_with(&word.what) {
                self.permitted.insert(*id, word.clone());
                self.allowed.insert(number, word);
            }
            self.all.push(decided);
        }
    }
}

fn asked(decided: Decided, opened: &WaitOpened, ruling: Option<&Value>) -> Decided {
    let ask = opened.ask.shown();
    let text = |key: &str| ask.get(key).and_then(Value::as_str).unwrap_or_default();
    match &opened.kind {
        WaitKind::Approval { change_set } => {
            let what = if change_set.is_some() { "asks whether its changes become real" } else { "asks" };
            ruling.into_iter().fold(decided.what(what), Decided::recorded)
        }
        WaitKind::InDoubt { cause } => {
            let decided = decided.what("asks").layer("recovery").rule("never_repeat_an_effect");
            decided.because(doubt(cause))
        }
        WaitKind::Client => decided.what("waits for a client"),
        WaitKind::Question | WaitKind::Input => match waiting::proposed(opened) {
            Some(proposal) => {
                let decision = proposal.pointer("/payload/metadata/decision");
                decision.into_iter().fold(decided.what("asks"), Decided::recorded)
            }
            None if opened.kind == WaitKind::Input => decided.what("asks for more input"),
            None => decided.what("asks a question").because(text("prompt")),
        },
        WaitKind::Child { run } => decided.what(format!("waits for {run}")),
        WaitKind::Timer => decided.what("waits for the clock"),
        WaitKind::Signal { name } => decided.what(format!("waits for the signal {name}")),
    }
}

fn doubt(cause: &str) -> &'static str {
    match cause {
        "timed_out" => "it took longer than its time limit, and may have taken effect",
        "failed" => "it failed on the way, and may have taken effect",
        _ => "it was running when the process died, and may have taken effect",
    }
}

/// What an answer decides about an action, and why; none where the end of the action says it.
fn settled_what(wait: &OpenWait, id: ActionId, settled: &WaitSettled) -> Option<(String, String)> {
    if settled.how == Settlement::Withdrawn {
        let reason = "what was asked is no longer the question";
        return (!wait.kind.is_work()).then(|| ("is not asked any more".to_owned(), reason.to_owned()));
    }
    match settled.answer.as_ref()? {
        Answer::Verdicts { verdicts, remember, reason, .. } => {
            let what = approved(verdicts, id, &wait.kind, &settled.by)?;
            Some((format!("{what}{}", remembered(remember.as_ref(), &wait.kind)), reason.clone()))
        }
        Answer::Again { reason } => Some((allowed_by(&settled.by), reason.clone())),
        Answer::Result { .. } => match wait.kind {
            WaitKind::Question | WaitKind::Input => {
                Some((format!("answered by {}", settled.by.name()), String::new()))
            }
            WaitKind::Approval { .. }
            | WaitKind::InDoubt { .. }
            | WaitKind::Client
            | WaitKind::Child { .. }
            | WaitKind::Timer
            | WaitKind::Signal { .. } => None,
        },
        Answer::Leave { .. } | Answer::Happened { .. } | Answer::Expired => None,
    }
}

fn approved(
    verdicts: &BTreeMap<ActionId, Decision>,
    id: ActionId,
    kind: &WaitKind,
    by: &Actor,
) -> Option<String> {
    let of_changes = matches!(kind, WaitKind::Approval { change_set: Some(_) });
    match verdicts.get(&id)? {
        Decision::Approve { edit: None } => Some(allowed_by(by)),
        // Changes cannot be approved with other arguments: that is a refusal, and the end says so.
        Decision::Approve { edit: Some(_) } if of_changes => None,
        Decision::Approve { edit: Some(_) } => Some(format!("{} with other arguments", allowed_by(by))),
        Decision::Reject { .. } => None,
    }
}

fn allowed_by(by: &Actor) -> String {
    format!("allowed by {}", by.name())
}

fn remembered(remember: Option<&Remember>, kind: &WaitKind) -> String {
    // An approval of changes is about these changes alone.
    let of_changes = matches!(kind, WaitKind::Approval { change_set: Some(_) });
    let Some(remember) = remember.filter(|_| !of_changes) else { return String::new() };
    let which = match &remember.covers {
        Covers::Tool => String::new(),
        Covers::Call => ", the same call".to_owned(),
        Covers::Place(place) => format!(", in {place}"),
    };
    let how_long = match remember.lasts {
        Lasts::Run => "for the rest of the run".to_owned(),
        Lasts::Always => "in later runs too".to_owned(),
        Lasts::Until(end) => {
            format!("in later runs too, until {}", timestamp::iso8601(end.0.div_euclid(1_000)))
        }
    };
    format!("{which}, {how_long}")
}
