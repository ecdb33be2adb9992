//! A checked graph: its reversed edges, and the rules of every action. Only a checked graph can be scheduled.

use std::sync::LazyLock;

use provost_contract::Action;
use provost_contract::action::{
    Access, ActionId, ActionStatus, FailurePolicy, Idempotency, OnFailure, Repeat,
};
use provost_contract::policies::{CancellationPolicy, ConflictResolution, Effective};

use super::contention::Uses;
use super::faults::{self, ScheduleFault};
use crate::read::{Graph, Node, Positions};

/// The policies of one action that affect scheduling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether an attempt may be repeated.
    pub idempotency: Idempotency,
    /// What happens if another action writes the same resource.
    pub conflicts: ConflictResolution,
    /// What a cancel does to it once it has started.
    pub on_cancel: CancellationPolicy,
    /// The maximum number of retries, whatever the action asks for.
    pub retries_max: Option<u64>,
}

impl From<&Effective> for Rules {
    fn from(policies: &Effective) -> Self {
        Self {
            idempotency: policies.idempotency,
            conflicts: policies.conflict_resolution,
            on_cancel: policies.cancellation_policy,
            retries_max: policies.budget_policy.max_retries,
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        static DEFAULT: LazyLock<Rules> = LazyLock::new(|| Rules::from(&Effective::default()));
        *DEFAULT
    }
}

/// An action with its rules.
#[derive(Clone, Copy, Debug)]
pub struct ScheduledAction<'a> {
    /// The action.
    pub action: &'a Action,
    /// Its rules.
    pub rules: Rules,
}

impl<'a> From<&'a Action> for ScheduledAction<'a> {
    fn from(action: &'a Action) -> Self {
        Self { action, rules: Rules::default() }
    }
}

/// The status of a dependency that its dependent requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wants {
    /// Satisfied.
    Success,
    /// Exactly this status, named by a `when`.
    Ending(ActionStatus),
    /// Impossible: two conditions contradict each other.
    Impossible,
}

/// An edge, seen from the dependency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) dependent: usize,
    pub(super) wants: Wants,
}

/// The constant part of one action.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    pub(super) id: ActionId,
    pub(super) failure: FailurePolicy,
    pub(super) repeat: Option<Repeat>,
    pub(super) rules: Rules,
    /// Dependencies inside the graph, with the required status.
    pub(super) waits_for: Vec<(usize, Wants)>,
    /// Dependencies that earlier runs completed.
    pub(super) satisfied_before: u32,
    /// Conditions on those that do not hold.
    pub(super) unmet_before: u32,
}

impl Fixed {
    /// Returns the maximum number of attempts per round.
    pub(super) fn attempts_max(&self) -> u32 {
        let asked = self.failure.max_attempts();
        match self.rules.retries_max {
            Some(retries) => asked.min(u32::try_from(retries).unwrap_or(u32::MAX).saturating_add(1)),
            None => asked,
        }
    }

    /// Returns the maximum number of rounds.
    pub(super) fn rounds_max(&self) -> u32 {
        self.repeat.as_ref().map_or(1, Repeat::max)
    }

    /// Returns whether the action fails if the last round does not reach the goal.
    pub(super) fn has_goal(&self) -> bool {
        self.repeat.as_ref().is_some_and(|repeat| repeat.until.is_some())
    }
}

/// A graph that can be run; positions are those of the declaration.
#[derive(Clone, Debug)]
pub struct CheckedGraph {
    pub(super) nodes: Vec<Fixed>,
    /// The positions, sorted by id.
    by_id: Vec<usize>,
    /// Edges by dependency: `first_edge` holds where each node's edges begin, and one final end; it is empty if
    /// there are no edges.
    edges: Vec<Edge>,
    first_edge: Vec<usize>,
    pub(super) uses: Uses,
}

impl CheckedGraph {
    /// Checks the graph and prepares it; `satisfied` returns whether an earlier run completed an action.
    ///
    /// # Errors
    /// All faults: duplicate ids, unknown dependencies, cycles, conditions on actions that
    /// are not dependencies, and unordered writers where conflicts are refused.
    pub fn build(
        actions: &[ScheduledAction<'_>],
        satisfied: impl Fn(&ActionId) -> bool,
    ) -> Result<Self, Vec<ScheduleFault>> {
        let nodes: Vec<Node<'_>> = actions.iter().map(|one| one.action.into()).collect();
        let (graph, found) = Graph::build(&nodes, satisfied);
        let mut all: Vec<ScheduleFault> = found.into_iter().map(ScheduleFault::Graph).collect();
        all.extend(faults::loose_conditions(actions));
        if all.is_empty() {
            all.extend(faults::refused_conflicts(actions, &graph));
        }
        if all.is_empty() { Ok(Self::prepared(actions, &graph)) } else { Err(all) }
    }

    /// Creates the graph of native tool calls from their effects on shared state: no call depends on
    /// another, and a failure stops no other call.
    pub fn of_calls(calls: &[Access]) -> Self {
        let call = |number: usize| Fixed {
            id: ActionId::made("call", &number.to_string(), 1),
            failure: OnFailure::Continue.into(),
            repeat: None,
            rules: Rules::default(),
            waits_for: Vec::new(),
            satisfied_before: 0,
            unmet_before: 0,
        };
        Self::of((1..=calls.len()).map(call).collect(), Uses::of_one(calls))
    }

    fn prepared(actions: &[ScheduledAction<'_>], graph: &Graph) -> Self {
        let (positions, _) = Positions::of(actions.iter().map(|one| &one.action.id));
        let asked = |at: usize, one: &ScheduledAction<'_>| {
            let id = |dependency: usize| actions.get(dependency).map(|one| &one.action.id);
            let edges = graph.dependencies(at).iter();
            edges.filter_map(|edge| Some((*edge, wants(one.action, id(*edge)?)))).collect()
        };
        let nodes =
            actions.iter().enumerate().map(|(at, one)| fixed(one, asked(at, one), &positions)).collect();
        Self::of(nodes, Uses::of(actions))
    }

    fn of(nodes: Vec<Fixed>, uses: Uses) -> Self {
        let mut by_id: Vec<usize> = (0..nodes.len()).collect();
        by_id.sort_unstable_by_key(|at| nodes.get(*at).map(|node| &node.id));
        let (edges, first_edge) = turned_round(&nodes);
        Self { nodes, by_id, edges, first_edge, uses }
    }

    /// Returns the number of actions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no actions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the position of an action.
    pub fn position(&self, id: &str) -> Option<usize> {
        let order = |at: &usize| self.id(*at).map(ActionId::as_str).cmp(&Some(id));
        self.by_id.get(self.by_id.binary_search_by(order).ok()?).copied()
    }

    /// Returns the id of the action at a position.
    pub fn id(&self, at: usize) -> Option<&ActionId> {
        self.nodes.get(at).map(|node| &node.id)
    }

    /// Returns the edges to the dependents of an action.
    pub(super) fn edges_of(&self, at: usize) -> &[Edge] {
        let range = self.first_edge.get(at).copied().zip(self.first_edge.get(at + 1).copied());
        range.and_then(|(from, to)| self.edges.get(from..to)).unwrap_or_default()
    }
}

fn fixed(
    scheduled: &ScheduledAction<'_>,
    waits_for: Vec<(usize, Wants)>,
    positions: &Positions<'_>,
) -> Fixed {
    let action = scheduled.action;
    let before = |id: &ActionId| positions.get(id).is_none();
    let unmet = action.when.iter().filter(|condition| before(&condition.action));
    let unmet = unmet.filter(|condition| ActionStatus::from(condition.status) != ActionStatus::Completed);
    Fixed {
        id: action.id.clone(),
        failure: action.failure_policy,
        repeat: action.repeat.clone(),
        rules: scheduled.rules,
        waits_for,
        satisfied_before: count(action.depends_on.iter().filter(|id| before(id)).count()),
        unmet_before: count(unmet.count()),
    }
}

/// Returns the edges sorted by dependency, in declaration order of the dependents, and where each begins.
fn turned_round(nodes: &[Fixed]) -> (Vec<Edge>, Vec<usize>) {
    if nodes.iter().all(|node| node.waits_for.is_empty()) {
        return (Vec::new(), Vec::new());
    }
    let mut sorted: Vec<(usize, Edge)> = Vec::new();
    let mut first_edge = vec![0_usize; nodes.len() + 1];
    for (dependent, node) in nodes.iter().enumerate() {
        for (dependency, wants) in &node.waits_for {
            sorted.push((*dependency, Edge { dependent, wants: *wants }));
            if let Some(edges) = first_edge.get_mut(dependency + 1) {
                *edges += 1;
            }
        }
    }
    sorted.sort_by_key(|(dependency, _)| *dependency);
    let mut sum = 0;
    for slot in &mut first_edge {
        sum += *slot;
        *slot = sum;
    }
    (sorted.into_iter().map(|(_, edge)| edge).collect(), first_edge)
}

/// Returns the status that an action requires of one of its dependencies.
fn wants(action: &Action, dependency: &ActionId) -> Wants {
    let mut asked = action.when.iter().filter(|condition| condition.action == *dependency);
    let Some(first) = asked.next() else { return Wants::Success };
    if asked.all(|other| other.status == first.status) {
        Wants::Ending(first.status.into())
    } else {
        Wants::Impossible
    }
}

/// Counts of one declaration always fit; a saturated count would only delay an action.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
