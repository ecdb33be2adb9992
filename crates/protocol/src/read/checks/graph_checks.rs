//! Reports the faults of a declaration's graph.

use std::collections::HashSet;

use provost_contract::action::ActionId;

use super::{listed, nearest};
use crate::read::forms::Drafted;
use crate::read::graph::{Graph, GraphFault, Node};
use crate::read::notes::{Fault, Notes, Spot};
use crate::{Code, Turn};

/// Checks ids, dependencies, conditions, cycles and depth; returns the graph if it is valid.
///
/// `broken` are the ids of actions that already have faults: a dependency on one is not reported again.
pub(crate) fn check_graph(
    drafted: &[Drafted],
    broken: &HashSet<String>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Graph> {
    let nodes: Vec<Node<'_>> = drafted.iter().map(|draft| Node::from(&draft.action)).collect();
    let known = |id: &ActionId| turn.completed.contains(id.as_str()) || broken.contains(id.as_str());
    let (graph, faults) = Graph::build(&nodes, known);
    let before = notes.faults.len();
    for fault in faults {
        notes.fault(told(&fault, drafted));
    }
    check_conditions(drafted, notes);
    if let Some(depth) = graph.depth().filter(|depth| *depth > turn.limits.depth_max) {
        let most = turn.limits.depth_max;
        let message = format!("{depth} actions wait for each other in a chain; at most {most} may");
        notes.fault(Fault::new(Code::LimitExceeded, Spot::Whole, message));
    }
    (notes.faults.len() == before).then_some(graph)
}

fn told(fault: &GraphFault, drafted: &[Drafted]) -> Fault {
    let spot = |at: &usize, field: fn(&Drafted) -> String| match drafted.get(*at) {
        Some(draft) => Spot::Pointer(field(draft)),
        None => Spot::Whole,
    };
    match fault {
        GraphFault::DuplicateId { at, id } => Fault::new(
            Code::DuplicateId,
            spot(at, |draft| format!("{}/id", draft.at)),
            format!("the id {id} is used twice"),
        ),
        GraphFault::UnknownDependency { at, dependency } => {
            let whose = drafted.get(*at).map(|draft| draft.action.id.as_str()).unwrap_or_default();
            let others = || drafted.iter().map(|draft| draft.action.id.as_str()).filter(|id| *id != whose);
            unknown_dependency(whose, dependency.as_str(), spot(at, Drafted::depends_at), others)
        }
        GraphFault::Cycle { at, ring } => {
            let ids: Vec<&str> = ring.iter().chain(ring.first()).map(ActionId::as_str).collect();
            let message = format!("actions wait for each other: {}", ids.join(" → "));
            Fault::new(Code::DependencyCycle, spot(at, Drafted::depends_at), message)
                .hint("take one of these dependencies away")
        }
    }
}

/// Reports a dependency on an unknown action.
pub(crate) fn unknown_dependency<'a, I: Iterator<Item = &'a str>>(
    whose: &str,
    dependency: &str,
    spot: Spot,
    others: impl Fn() -> I,
) -> Fault {
    let message =
        format!("{whose} depends on {dependency:?}, which is neither declared here nor completed earlier");
    let mut hint = format!("other ids of this declaration: {}", listed(others()));
    if let Some(meant) = nearest(dependency, others()) {
        hint = format!("did you mean {meant}? {hint}");
    }
    Fault::new(Code::UnknownDependency, spot, message).hint(hint)
}

/// A condition must name a dependency, because only dependencies are known to have ended.
fn check_conditions(drafted: &[Drafted], notes: &mut Notes) {
    for draft in drafted {
        for condition in &draft.action.when {
            if !draft.action.depends_on.contains(&condition.action) {
                let message = format!(
                    "{}: when looks at {}, which is not among its dependencies",
                    draft.action.id, condition.action
                );
                let spot = Spot::Pointer(format!("{}/when", draft.at));
                notes.fault(
                    Fault::new(Code::UnknownDependency, spot, message)
                        .hint(format!("add {} to depends_on", condition.action)),
                );
            }
        }
    }
}
