//! Whether an action may run now, and what lets it.

use provost_contract::action::policies::PermissionPolicy;
use provost_contract::action::{SideEffect, SideEffects};
use strum::VariantArray as _;

use crate::defect::{self, Defect};
use crate::event::{AllowedBy, HookAnswer, HookSet};
use crate::state::{Action, Bound, RunState};
use crate::{Ruling, Time, Verdict};

/// Whether an action may run now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Leave {
    /// It may, by this.
    Given(Box<Ruling>, AllowedBy),
    /// A person must allow it first.
    Needed(Box<Ruling>),
    /// It may not.
    Denied(Box<Ruling>),
}

impl RunState {
    /// Returns what the policy says about an action: the settings it was accepted with, what a hook said
    /// about exactly these arguments, and today's denials.
    pub fn ruling(&self, action: &Action) -> Ruling {
        let ruling = self.accepted_ruling(action);
        match &self.today {
            Some(today) if ruling.decision != Verdict::Deny => {
                let now = today.ruling(&action.spec.operation);
                if now.decision == Verdict::Deny { now } else { ruling }
            }
            Some(_) | None => ruling,
        }
    }

    /// The same without today's denials: a function of the events.
    pub(super) fn accepted_ruling(&self, action: &Action) -> Ruling {
        let said = self.bound(action.ruled.as_ref(), action).and_then(ruling_of);
        let ruling = self.agent.ruling_after(&action.spec.operation, said.as_ref());
        match declared_ruling(action) {
            Some(declared) => ruling.stricter(declared),
            None => ruling,
        }
    }

    /// Returns an answer if it is about these arguments under this policy.
    pub(crate) fn bound<'a, T>(&self, answer: Option<&'a Bound<T>>, action: &Action) -> Option<&'a T> {
        let answer = answer.filter(|bound| bound.about == action.args.raw && bound.policy == self.policy);
        answer.map(|bound| &bound.value)
    }

    /// Returns whether an action may run now.
    pub(crate) fn leave(&self, action: &Action, now: Time) -> Leave {
        let ruling = Box::new(self.ruling(action));
        let approved = self.approval(action);
        let lifts = defect::is(Defect::ApprovalLiftsDeny) && approved.is_some();
        if ruling.decision == Verdict::Deny && !lifts {
            return Leave::Denied(ruling);
        }
        if ruling.decision == Verdict::Allow && !action.must_ask {
            return Leave::Given(ruling, AllowedBy::Rule);
        }
        if let Some(wait) = approved {
            return Leave::Given(ruling, AllowedBy::Wait { wait: self.wait_id(wait) });
        }
        if !action.must_ask
            && !ruling.person_only
            && let Some(scope) = self.standing_for(action, now)
        {
            return Leave::Given(ruling, AllowedBy::Standing { scope });
        }
        Leave::Needed(ruling)
    }

    /// Returns the wait whose answer approved exactly these arguments under this policy.
    fn approval(&self, action: &Action) -> Option<u32> {
        let unbound = defect::is(Defect::ApprovalUnbound);
        let gate = action.gate.as_ref()?;
        (unbound || action.is_approved(self.policy)).then_some(gate.value)
    }
}

/// What the policies of its declaration, its agent and the runtime say about an action. They only restrict.
fn declared_ruling(action: &Action) -> Option<Ruling> {
    if action.spec.policies.is_null() {
        return None;
    }
    let policies = &action.policies;
    let layer = |policy: &str| {
        let layer = action.spec.policies.get(policy).and_then(|said| said.get("decided_by"));
        let layer = layer.and_then(serde_json::Value::as_str).unwrap_or("default");
        format!("policies of the {layer}")
    };
    let effects: &[SideEffect] = match &action.spec.facts.effects {
        SideEffects::Declared(effects) => effects,
        SideEffects::Unknown => SideEffect::VARIANTS,
    };
    let words =
        |of: &[&SideEffect]| of.iter().map(|effect| <&str>::from(**effect)).collect::<Vec<_>>().join(", ");
    let ruling = |verdict, policy: &str, reason: String| {
        Some(Ruling::new(verdict, policy, layer(policy)).because(reason))
    };
    let denied: Vec<&SideEffect> =
        effects.iter().filter(|effect| !policies.side_effects.allows(effect)).collect();
    if !denied.is_empty() {
        return ruling(
            Verdict::Deny,
            "side_effects",
            format!("its effects are not allowed: {}", words(&denied)),
        );
    }
    if policies.permission_policy == PermissionPolicy::Deny {
        return ruling(Verdict::Deny, "permission_policy", "its permission policy says deny".into());
    }
    let gated: Vec<&SideEffect> =
        effects.iter().filter(|effect| policies.approval_gates.requires(effect)).collect();
    if !gated.is_empty() {
        return ruling(
            Verdict::Ask,
            "approval_gates",
            format!("a person is asked before: {}", words(&gated)),
        );
    }
    (policies.permission_policy == PermissionPolicy::Ask)
        .then(|| ruling(Verdict::Ask, "permission_policy", "its permission policy says ask".into()))
        .flatten()
}

/// What a policy hook decided. One that failed, or says what a policy cannot say, has denied.
pub(super) fn ruling_of(answer: &HookAnswer) -> Option<Ruling> {
    match answer {
        HookAnswer::Proceed { ruling } => ruling.as_deref().cloned(),
        HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault } => {
            Some(Ruling::new(Verdict::Deny, fault.code.clone(), "policy_hook").because(fault.message.clone()))
        }
        HookAnswer::NoOpinion => None,
        HookAnswer::Replace { .. }
        | HookAnswer::Wait { .. }
        | HookAnswer::Resolved { .. }
        | HookAnswer::Message { .. }
        | HookAnswer::Complete { .. }
        | HookAnswer::Note { .. } => {
            let sentence = "the policy hook gave an answer that is not a ruling";
            Some(Ruling::new(Verdict::Deny, "unusable_answer", "policy_hook").because(sentence))
        }
    }
}

/// Returns whether a hook must still speak about an action before it is judged.
pub(super) fn is_policy_open(state: &RunState, hooks: HookSet, action: &Action) -> bool {
    hooks.policy && action.spec.unprepared.is_none() && state.bound(action.ruled.as_ref(), action).is_none()
}

/// Returns whether the mediator must still speak about an action.
pub(super) fn is_mediation_open(state: &RunState, hooks: HookSet, action: &Action) -> bool {
    hooks.mediate && state.bound(action.mediated.as_ref(), action).is_none()
}
