//! Refuses declarations whose actions may use the same resource at the same time, where a policy says so.

use std::collections::BTreeMap;

use provost_contract::Action;
use provost_contract::action::Access;
use provost_contract::policies::{ConflictResolution, Merged, Policies};

use crate::read::forms::{Drafted, Envelope};
use crate::read::graph::{Ancestors, Graph};
use crate::read::notes::{Fault, Notes, Spot};
use crate::{Code, Turn, merged_policies};

/// Checks every resource that an action with the policy `refuse` uses. The strictest
/// policy among the users of a resource applies to all of them.
pub(crate) fn check_conflicts(
    drafted: &[Drafted],
    graph: &Graph,
    envelope: Option<&Envelope>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) {
    let refuses = |policies: &Policies| policies.conflict_resolution == Some(ConflictResolution::Refuse);
    let layers = [&turn.runtime_policies, &turn.agent_policies].into_iter();
    let mut layers = layers.chain(envelope.map(|envelope| &envelope.policies));
    let any_layer = layers.any(refuses) || drafted.iter().any(|draft| refuses(&draft.action.policies));
    let Some(order) = any_layer.then(|| graph.order()).flatten() else { return };
    let mut resources: BTreeMap<&str, Users<'_>> = BTreeMap::new();
    for at in order {
        let Some(draft) = drafted.get(at).filter(|draft| !draft.action.resources.is_empty()) else {
            continue;
        };
        let policies = merged_policies(&draft.action, envelope, turn);
        let refusal = policies.effective().conflict_resolution == ConflictResolution::Refuse;
        for resource in &draft.action.resources {
            let users = resources.entry(&resource.name).or_default();
            users.all.push((at, resource.access));
            if refusal && users.refused_by.is_none() {
                users.refused_by = Some((&draft.action, policies.clone()));
            }
        }
    }
    let ancestors = graph.ancestors();
    for (name, users) in resources {
        let Some((action, policies)) = users.refused_by else { continue };
        if let Some((one, other)) = first_meeting(&users.all, &ancestors) {
            let Some((one, other)) = drafted.get(one).zip(drafted.get(other)) else { continue };
            notes.fault(conflict(name, one, other, action, &policies));
        }
    }
}

/// The users of a resource, in topological order.
#[derive(Default)]
struct Users<'a> {
    all: Vec<(usize, Access)>,
    /// The first one that refuses conflicts, with its policies.
    refused_by: Option<(&'a Action, Merged)>,
}

/// Returns the first two users without an order of which one writes, the one declared first before the
/// other. A writer must follow all users since the previous writer, a reader only that writer.
fn first_meeting(users: &[(usize, Access)], ancestors: &Ancestors) -> Option<(usize, usize)> {
    let mut readers: Vec<usize> = Vec::new();
    let mut writer: Option<usize> = None;
    for (at, access) in users {
        let before: Vec<usize> = match access {
            Access::Read => writer.into_iter().collect(),
            Access::Write => writer.into_iter().chain(readers.drain(..)).collect(),
        };
        let met = before.into_iter().find(|other| other != at && !ancestors.contain(*at, *other));
        if let Some(other) = met {
            return Some((other.min(*at), other.max(*at)));
        }
        match access {
            Access::Read => readers.push(*at),
            Access::Write => writer = Some(*at),
        }
    }
    None
}

fn conflict(name: &str, one: &Drafted, other: &Drafted, refusing: &Action, policies: &Merged) -> Fault {
    let (first, second) = (&one.action.id, &other.action.id);
    let message = format!(
        "{first} and {second} may use {name} at the same time, and conflict_resolution of {} is refuse{}",
        refusing.id,
        policies
            .decided_by("conflict_resolution")
            .map(|layer| format!(" (set by the {})", <&str>::from(layer)))
            .unwrap_or_default(),
    );
    let spot = Spot::Pointer(format!("{}/resources", other.at));
    let hint = format!("add {first} to depends_on of {second}, or {second} to depends_on of {first}");
    Fault::new(Code::ResourceConflict, spot, message).hint(hint)
}
