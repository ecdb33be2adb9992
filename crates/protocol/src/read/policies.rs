//! The policies that hold for one action of a declaration.

use provost_contract::Action;
use provost_contract::policies::{Layer, Merged, Policies};

use crate::{Envelope, Turn};

/// Merges the layers of an action: runtime, agent, envelope, action. The strictest wins, and the result
/// names the layer that decided each policy. The flat form has no envelope.
pub fn merged_policies(action: &Action, envelope: Option<&Envelope>, turn: &Turn<'_>) -> Merged {
    merge(turn, envelope.map(|envelope| &envelope.policies), Some(&action.policies))
}

/// Merges the layers that are there.
pub(crate) fn merge(turn: &Turn<'_>, envelope: Option<&Policies>, action: Option<&Policies>) -> Merged {
    let layers = [(Layer::Runtime, &turn.runtime_policies), (Layer::Agent, &turn.agent_policies)];
    let declared = envelope.map(|policies| (Layer::Envelope, policies)).into_iter();
    let declared = declared.chain(action.map(|policies| (Layer::Action, policies)));
    Policies::merge(layers.into_iter().chain(declared))
}
