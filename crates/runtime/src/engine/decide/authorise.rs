//! Whether a call may run, and by whose word.

use provost_contract::json::{self, Object};
use provost_policy::action_policy::{Layer, judge};
use provost_policy::{ActionPolicy, Decision, HookAnswer};
use serde_json::json;

use super::settle::proceed;
use super::unfinished::failed;
use crate::engine::state::BatchCall;
use crate::engine::{CallDeclared, Kind, RunState, SettledBy, Word};
use crate::port::{RememberedApproval, Ruling};

/// How a call may run, as every layer together sees it.
pub fn judge_call(
    state: &RunState,
    declared: &CallDeclared,
    provider: HookAnswer<Ruling>,
) -> Option<Decision<ActionPolicy>> {
    let facts = state.rules.facts(&declared.name)?;
    if provider == Ok(None) {
        return Some(facts.decision.clone());
    }
    let said = provider
        .as_ref()
        .map(|ruling| ruling.as_ref().map(|ruling| ruling.policy))
        .map_err(|failure| *failure);
    let decision = judge(&facts.question, said);
    match provider {
        // A word about the tool does not answer what only a person may.
        Ok(Some(ruling)) if ruling.is_person_only() && decision.verdict != ActionPolicy::Forbidden => {
            Some(ruling.into_decision())
        }
        // The provider's own rule says more than that a provider spoke.
        Ok(Some(ruling)) if by_provider(&decision) => Some(named(decision, ruling)),
        Ok(_) | Err(_) => Some(decision),
    }
}

fn by_provider(decision: &Decision<ActionPolicy>) -> bool {
    decision.layer == <&str>::from(Layer::Provider)
}

fn named(mut decision: Decision<ActionPolicy>, ruling: Ruling) -> Decision<ActionPolicy> {
    decision.layer = ruling.layer;
    decision.rule = ruling.rule.into();
    decision.reason = ruling.reason;
    decision.inputs.extend(ruling.inputs);
    decision
}

/// Whether somebody must be asked first. What a person said to remember spares the question, unless it is
/// about exactly this call, and lifts nothing that is forbidden.
pub fn needs_approval(state: &RunState, declared: &CallDeclared, decision: &Decision<ActionPolicy>) -> bool {
    decision.verdict == ActionPolicy::Preview
        && declared.unprepared.is_none()
        && (decision.is_person_only() || !state.remembers(&declared.name, decision))
}

/// The result of a call that only a person may allow, where none can be asked.
pub fn unanswerable(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    asks: &Decision<ActionPolicy>,
) -> Kind {
    let reason = format!("{}; only a person may allow exactly this call, and none can be asked", asks.reason);
    forbidden(state, place, declared, &Decision { verdict: ActionPolicy::Forbidden, reason, ..asks.clone() })
}

/// The result of a call the policy forbids.
pub fn forbidden(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    decision: &Decision<ActionPolicy>,
) -> Kind {
    let error = format!("Not allowed: {}.", decision.reason);
    let more = Object::from_iter([("decision".to_owned(), decision.to_value())]);
    failed(state, place, declared, SettledBy::Policy, ("action_policy_forbidden", &error), more)
}

/// A call somebody let run, looked at again: what was forbidden since is not run, and what only a person may
/// allow since then needs a question that said so.
pub fn approved_call(
    state: &RunState,
    place: usize,
    call: &BatchCall,
    decision: Option<&Decision<ActionPolicy>>,
) -> Kind {
    let declared = &call.declared;
    if let Some(asks) = decision.filter(|asks| asks.is_person_only() && !call.was_asked_person_only()) {
        return unanswerable(state, place, declared, asks);
    }
    match decision.filter(|decision| decision.verdict == ActionPolicy::Forbidden) {
        Some(decision) => forbidden(state, place, declared, decision),
        None => proceed(state, place, declared, decision.map(Word::of)),
    }
}

/// A call nobody objects to runs.
pub fn unhindered(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    decision: Option<&Decision<ActionPolicy>>,
) -> Kind {
    proceed(state, place, declared, decision.map(|decision| recorded(state, declared, decision)))
}

/// A call that would be asked about, had somebody not said before that it need not be.
pub fn spared(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    asks: &Decision<ActionPolicy>,
    word: &RememberedApproval,
) -> Kind {
    let said = json!({
        "remembered_by": word.by,
        "remembered_at": word.at,
        "remembered_in": word.run,
        "instead_of": { "layer": asks.layer, "rule": asks.rule },
    });
    let decision = Decision {
        verdict: ActionPolicy::Direct,
        layer: Layer::Remembered.into(),
        rule: word.question.id().into(),
        reason: format!("{} said so at {}, when {} asked: {}", word.by, word.at, word.run, asks.reason),
        inputs: json::into_object(said),
    };
    proceed(state, place, declared, Some(Word::of(&decision)))
}

/// A decision as it is recorded: one that would ask, and did not, says whose word spared the question.
fn recorded(state: &RunState, declared: &CallDeclared, decision: &Decision<ActionPolicy>) -> Word {
    let Some(by) = state.remembered_by(&declared.name, decision) else { return Word::of(decision) };
    let mut decision = decision.clone();
    decision.inputs.insert("remembered_by".to_owned(), by.into());
    Word::of(&decision)
}

/// The same where nobody else needs to be asked.
pub(in crate::engine) fn approved(state: &RunState, place: usize, call: &BatchCall) -> Kind {
    let decision = state.rules.facts(&call.declared.name).map(|facts| &facts.decision);
    approved_call(state, place, call, decision)
}

/// The record of the decision that lets a call run without a question.
pub(super) fn allowed_by(state: &RunState, declared: &CallDeclared) -> Option<Word> {
    state.rules.facts(&declared.name).map(|facts| recorded(state, declared, &facts.decision))
}
