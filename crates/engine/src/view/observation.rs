//! What a model may see of an action's outcome.

use provost_contract::action::{self, ActionStatus, Observation};
use provost_contract::policies::PartialResults;
use provost_protocol::TokenCounter;
use provost_protocol::observe::{Privacy, Secrets, View, observe, result_section};

use super::outcome::outcome_of;
use crate::state::{Action, RunState};

/// Returns what a model may see of an action that has ended or waits, by the action's result policy, the limits of
/// its policies, and the budget of the agent. The results that it is made of are known whole.
pub fn observation(state: &RunState, action: &Action, counter: &dyn TokenCounter) -> Option<Observation> {
    let outcome = outcome_of(state, action)?;
    if is_left_out(state, action) {
        return Some(Observation::new(outcome.status()));
    }
    let label = label(action);
    let agent = state.agent.spec.protocol.result_tokens();
    let budget = action.policies.budget_policy.max_tokens.map_or(agent, |most| most.min(agent));
    let privacy = Privacy::new(&action.policies, Secrets::default());
    let mut seen = observe(&View {
        run_id: state.spec.run.as_str(),
        action: &label,
        outcome: &outcome,
        policy: &action.spec.result_policy,
        budget_tokens: budget,
        privacy: &privacy,
        counter,
    });
    // An address names the action, not what its declaration calls it: that may be used again.
    if !action.is_ended() {
        seen.artifacts.clear();
    }
    for address in &mut seen.artifacts {
        *address = format!("artifact://{}/{}", state.spec.run, action.spec.id);
    }
    Some(seen)
}

/// Returns the result section of an action as a model reads it.
pub fn observed_section(state: &RunState, action: &Action, counter: &dyn TokenCounter) -> Option<String> {
    Some(result_section(&label(action), &observation(state, action, counter)?))
}

/// Whether a policy leaves out the result, because not everything of its declaration ended well.
fn is_left_out(state: &RunState, action: &Action) -> bool {
    let kept = match action.policies.partial_results {
        PartialResults::EverythingEnded => return false,
        PartialResults::CompletedOnly => action.status() == ActionStatus::Completed,
        PartialResults::StatusesOnly => false,
    };
    let number = action.spec.id.declaration;
    let all = state.actions.iter().filter(|(id, _)| id.declaration == number);
    !kept && all.into_iter().any(|(_, other)| other.is_ended() && other.status() != ActionStatus::Completed)
}

/// The name of an action in its declaration.
pub(super) fn label(action: &Action) -> action::ActionId {
    let label = &action.spec.label;
    action::ActionId::parse(label).unwrap_or_else(|_| action::ActionId::made("action", label, 1))
}
