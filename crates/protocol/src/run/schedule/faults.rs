//! Faults that make a graph invalid.

use std::collections::HashMap;

use provost_contract::ContractError;
use provost_contract::action::{Access, ActionId};
use provost_contract::policies::ConflictResolution;

use super::checked_graph::ScheduledAction;
use crate::Code;
use crate::read::{Graph, GraphFault};

/// A reason to reject the whole graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleFault {
    /// The ids or edges are invalid.
    Graph(GraphFault),
    /// A `when` names an action that is not a dependency.
    LooseCondition {
        /// The action with the condition.
        at: usize,
        /// The named action.
        action: ActionId,
    },
    /// Two actions may use a resource at the same time, and conflicts are refused.
    ResourceConflict {
        /// The later one.
        at: usize,
        /// The earlier one.
        other: ActionId,
        /// The resource.
        resource: String,
    },
}

impl ScheduleFault {
    /// Returns the fault as an error with a stable code; `actions` are the actions it was found in.
    pub fn to_error(&self, actions: &[ScheduledAction<'_>]) -> ContractError {
        let whose = |at: &usize| actions.get(*at).map_or("", |one| one.action.id.as_str());
        match self {
            Self::Graph(GraphFault::DuplicateId { id, .. }) => {
                ContractError::whole(Code::DuplicateId.into(), &format!("{id} is used twice"))
                    .about(id.as_str())
            }
            Self::Graph(GraphFault::UnknownDependency { at, dependency }) => {
                let reason = format!("{} depends on {dependency}, which is not declared", whose(at));
                ContractError::whole(Code::UnknownDependency.into(), &reason).about(whose(at))
            }
            Self::Graph(GraphFault::Cycle { at, ring }) => {
                let ids: Vec<&str> = ring.iter().chain(ring.first()).map(ActionId::as_str).collect();
                let reason = format!("actions wait for each other: {}", ids.join(" → "));
                ContractError::whole(Code::DependencyCycle.into(), &reason).about(whose(at))
            }
            Self::LooseCondition { at, action } => {
                let reason = format!("{} looks at {action}, which is not among its dependencies", whose(at));
                ContractError::whole(Code::UnknownDependency.into(), &reason).about(whose(at))
            }
            Self::ResourceConflict { at, other, resource } => {
                let reason = format!("{} and {other} may meet at {resource}; give them an order", whose(at));
                ContractError::whole("resource_conflict", &reason).about(whose(at))
            }
        }
    }
}

/// Returns conditions on actions that are not dependencies.
pub(super) fn loose_conditions(actions: &[ScheduledAction<'_>]) -> Vec<ScheduleFault> {
    let mut found = Vec::new();
    for (at, ScheduledAction { action, .. }) in actions.iter().enumerate() {
        let loose = action.when.iter().filter(|condition| !action.depends_on.contains(&condition.action));
        found.extend(
            loose.map(|condition| ScheduleFault::LooseCondition { at, action: condition.action.clone() }),
        );
    }
    found
}

/// The users of a resource, and the conflict resolution.
struct Users {
    all: Vec<(usize, Access)>,
    resolution: ConflictResolution,
}

/// Returns unordered users of a resource of which one writes, where one of its users refuses conflicts.
pub(super) fn refused_conflicts(actions: &[ScheduledAction<'_>], graph: &Graph) -> Vec<ScheduleFault> {
    if actions.iter().all(|one| one.rules.conflicts != ConflictResolution::Refuse) {
        return Vec::new();
    }
    let mut by_name: HashMap<&str, Users> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    for at in graph.order().unwrap_or_default() {
        let Some(ScheduledAction { action, rules }) = actions.get(at) else { continue };
        for resource in &action.resources {
            let users = by_name.entry(&resource.name).or_insert_with(|| {
                names.push(&resource.name);
                Users { all: Vec::new(), resolution: rules.conflicts }
            });
            users.all.push((at, resource.access));
            users.resolution = users.resolution.max(rules.conflicts);
        }
    }
    let refusing = names.into_iter().filter_map(|name| Some((name, by_name.get(name)?)));
    let refusing = refusing.filter(|(_, users)| users.resolution == ConflictResolution::Refuse);
    refusing.filter_map(|(name, users)| first_meeting(name, &users.all, actions, graph)).collect()
}

/// Returns the first two users that may conflict. The users are in topological order; a
/// writer must follow all users since the previous writer, a reader only that writer.
fn first_meeting(
    name: &str,
    users: &[(usize, Access)],
    actions: &[ScheduledAction<'_>],
    graph: &Graph,
) -> Option<ScheduleFault> {
    let mut since: Vec<usize> = Vec::new();
    let mut writer: Option<usize> = None;
    for (at, access) in users {
        let before: Vec<usize> = match access {
            Access::Read => writer.into_iter().collect(),
            Access::Write => writer.into_iter().chain(since.drain(..)).collect(),
        };
        if let Some(other) = before.into_iter().find(|other| other != at && !graph.reaches(*at, *other)) {
            let (other, at) = (other.min(*at), other.max(*at));
            let other = actions.get(other)?.action.id.clone();
            return Some(ScheduleFault::ResourceConflict { at, other, resource: name.to_owned() });
        }
        match access {
            Access::Read => since.push(*at),
            Access::Write => writer = Some(*at),
        }
    }
    None
}
