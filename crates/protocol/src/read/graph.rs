//! The dependency graph of a declaration, and its validity.

use std::collections::{BTreeSet, HashMap};

use provost_contract::Action;
use provost_contract::action::ActionId;

/// A node of the graph.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The action's id.
    pub id: &'a ActionId,
    /// The ids of its dependencies.
    pub depends_on: &'a [ActionId],
}

impl<'a> From<&'a Action> for Node<'a> {
    fn from(action: &'a Action) -> Self {
        Self { id: &action.id, depends_on: &action.depends_on }
    }
}

/// A fault of a graph; `at` is the position of the action in the declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphFault {
    /// Two actions have the same id.
    DuplicateId {
        /// The second of them.
        at: usize,
        /// The id.
        id: ActionId,
    },
    /// A dependency is neither in the declaration nor among the satisfied actions of earlier runs.
    UnknownDependency {
        /// The dependent action.
        at: usize,
        /// The unknown id.
        dependency: ActionId,
    },
    /// Dependencies form a cycle.
    Cycle {
        /// The first action of the cycle in the declaration.
        at: usize,
        /// The cycle: each action depends on the next, the last on the first.
        ring: Vec<ActionId>,
    },
}

/// The position of the action with an id. Most declarations are short: building a sorted list is
/// cheaper than a hash table.
struct Positions<'a>(Vec<(&'a ActionId, usize)>);

impl<'a> Positions<'a> {
    /// Returns the first position of every id, and in order those that repeat an earlier id.
    fn of(ids: impl Iterator<Item = &'a ActionId>) -> (Self, Vec<usize>) {
        let mut all: Vec<(&ActionId, usize)> = ids.enumerate().map(|(at, id)| (id, at)).collect();
        all.sort_unstable();
        let mut repeated = Vec::new();
        all.dedup_by(|(id, at), (earlier, _)| {
            let is_repeated = id == earlier;
            repeated.extend(is_repeated.then_some(*at));
            is_repeated
        });
        repeated.sort_unstable();
        (Self(all), repeated)
    }

    fn get(&self, id: &ActionId) -> Option<usize> {
        let found = self.0.binary_search_by(|(known, _)| (*known).cmp(id)).ok()?;
        self.0.get(found).map(|(_, at)| *at)
    }
}

/// Dependencies by position. Edges to satisfied actions of earlier runs are omitted.
#[derive(Clone, Debug)]
pub struct Graph {
    dependencies: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graph and lists every fault in it: duplicates, unknown dependencies, then cycles.
    ///
    /// `satisfied` returns whether an id was completed by an earlier run.
    pub fn build(nodes: &[Node<'_>], satisfied: impl Fn(&ActionId) -> bool) -> (Self, Vec<GraphFault>) {
        let (positions, repeated) = Positions::of(nodes.iter().map(|node| node.id));
        let duplicate = |at: usize| Some(GraphFault::DuplicateId { at, id: nodes.get(at)?.id.clone() });
        let mut faults: Vec<GraphFault> = repeated.into_iter().filter_map(duplicate).collect();
        let mut dependencies = Vec::with_capacity(nodes.len());
        for (at, node) in nodes.iter().enumerate() {
            let mut edges = Vec::with_capacity(node.depends_on.len());
            for dependency in node.depends_on {
                match positions.get(dependency) {
                    Some(position) => edges.push(position),
                    None if satisfied(dependency) => {}
                    None => {
                        faults.push(GraphFault::UnknownDependency { at, dependency: dependency.clone() });
                    }
                }
            }
            dependencies.push(edges);
        }
        let graph = Self { dependencies };
        faults.extend(graph.rings().into_iter().map(|ring| GraphFault::Cycle {
            at: ring.first().copied().unwrap_or_default(),
            ring: ring.iter().filter_map(|at| nodes.get(*at)).map(|node| node.id.clone()).collect(),
        }));
        (graph, faults)
    }

    /// Returns the positions of an action's dependencies.
    pub fn dependencies(&self, at: usize) -> &[usize] {
        self.dependencies.get(at).map_or(&[], Vec::as_slice)
    }

    /// Returns the transitive dependencies of all actions; for a graph without cycles.
    pub fn ancestors(&self) -> Ancestors {
        let words = self.dependencies.len().div_ceil(WORD_BITS);
        let mut rows = vec![vec![0_u64; words]; self.dependencies.len()];
        for at in self.order().unwrap_or_default() {
            let mut row = vec![0_u64; words];
            for position in self.dependencies(at) {
                if let Some(word) = row.get_mut(position / WORD_BITS) {
                    *word |= 1 << (position % WORD_BITS);
                }
                for (word, more) in row.iter_mut().zip(rows.get(*position).into_iter().flatten()) {
                    *word |= more;
                }
            }
            if let Some(slot) = rows.get_mut(at) {
                *slot = row;
            }
        }
        Ancestors { rows }
    }

    /// Returns the length of the longest chain of dependencies; `None` if there is a cycle.
    pub fn depth(&self) -> Option<usize> {
        let order = self.order()?;
        let mut depths = vec![0_usize; self.dependencies.len()];
        for at in order {
            let below = self.dependencies(at).iter().filter_map(|position| depths.get(*position)).max();
            let depth = below.copied().unwrap_or_default() + 1;
            if let Some(slot) = depths.get_mut(at) {
                *slot = depth;
            }
        }
        depths.into_iter().max()
    }

    /// Returns a topological order that prefers declaration order; `None` if
    /// there is a cycle.
    pub fn order(&self) -> Option<Vec<usize>> {
        if self.is_without_edges() {
            return Some((0..self.dependencies.len()).collect());
        }
        let (order, left) = self.peel();
        left.is_empty().then_some(order)
    }

    fn is_without_edges(&self) -> bool {
        self.dependencies.iter().all(Vec::is_empty)
    }

    /// Repeatedly removes actions without open dependencies; returns the removed and the remaining ones.
    fn peel(&self) -> (Vec<usize>, BTreeSet<usize>) {
        let count = self.dependencies.len();
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut open: Vec<usize> = self.dependencies.iter().map(Vec::len).collect();
        for (at, edges) in self.dependencies.iter().enumerate() {
            for position in edges {
                if let Some(list) = dependents.get_mut(*position) {
                    list.push(at);
                }
            }
        }
        let mut ready: BTreeSet<usize> = (0..count).filter(|at| open.get(*at) == Some(&0)).collect();
        let mut left: BTreeSet<usize> = (0..count).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(at) = ready.pop_first() {
            order.push(at);
            left.remove(&at);
            for dependent in dependents.get(at).into_iter().flatten() {
                if let Some(waits) = open.get_mut(*dependent) {
                    *waits -= 1;
                    if *waits == 0 {
                        ready.insert(*dependent);
                    }
                }
            }
        }
        (order, left)
    }

    /// Returns the cycles, the earliest declared first; no action is in two.
    fn rings(&self) -> Vec<Vec<usize>> {
        if self.is_without_edges() {
            return Vec::new();
        }
        let (_, mut left) = self.peel();
        let mut rings = Vec::new();
        while let Some(start) = left.first().copied() {
            let (walked, ring) = self.walk(start, &left);
            rings.extend(ring.map(from_earliest));
            for at in walked {
                left.remove(&at);
            }
        }
        rings
    }

    /// Follows open dependencies from `start` until they reach a visited action or end; returns
    /// the path and the cycle it closed.
    fn walk(&self, start: usize, left: &BTreeSet<usize>) -> (Vec<usize>, Option<Vec<usize>>) {
        let mut walked: Vec<usize> = Vec::new();
        let mut steps: HashMap<usize, usize> = HashMap::new();
        let mut next = Some(start);
        while let Some(at) = next {
            if let Some(step) = steps.get(&at) {
                let ring = walked.get(*step..).map(<[usize]>::to_vec);
                return (walked, ring);
            }
            steps.insert(at, walked.len());
            walked.push(at);
            next = self.dependencies(at).iter().find(|position| left.contains(position)).copied();
        }
        (walked, None)
    }
}

const WORD_BITS: usize = u64::BITS as usize;

/// The transitive dependencies of every action.
#[derive(Clone, Debug)]
pub struct Ancestors {
    rows: Vec<Vec<u64>>,
}

impl Ancestors {
    /// Returns whether `at` depends on `other`, directly or transitively.
    pub fn contain(&self, at: usize, other: usize) -> bool {
        let word = self.rows.get(at).and_then(|row| row.get(other / WORD_BITS));
        word.is_some_and(|word| word & (1 << (other % WORD_BITS)) != 0)
    }
}

/// Rotates a cycle to start at its earliest declared action.
fn from_earliest(mut ring: Vec<usize>) -> Vec<usize> {
    let earliest = ring.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(index, _)| index);
    ring.rotate_left(earliest);
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(declared: &[(&str, &[&str])]) -> (Graph, Vec<GraphFault>) {
        let id = |text: &str| ActionId::parse(text).unwrap();
        let owned: Vec<(ActionId, Vec<ActionId>)> = declared
            .iter()
            .map(|(name, waits)| (id(name), waits.iter().map(|name| id(name)).collect()))
            .collect();
        let nodes: Vec<Node<'_>> = owned.iter().map(|(id, depends_on)| Node { id, depends_on }).collect();
        Graph::build(&nodes, |id| id.as_str() == "earlier")
    }

    #[test]
    fn every_ring_is_named_once_and_what_waits_for_a_ring_is_not_one() {
        let (graph, faults) = check(&[
            ("behind", &["b"]),
            ("a", &["b"]),
            ("b", &["a"]),
            ("self", &["self"]),
            ("free", &["earlier"]),
        ]);
        let rings: Vec<String> = faults
            .iter()
            .map(|fault| match fault {
                GraphFault::Cycle { ring, .. } => {
                    ring.iter().map(ActionId::as_str).collect::<Vec<_>>().join(">")
                }
                GraphFault::DuplicateId { .. } | GraphFault::UnknownDependency { .. } => panic!("{fault:?}"),
            })
            .collect();
        assert_eq!(rings, ["a>b", "self"]);
        assert_eq!(graph.order(), None);
    }

    /// Whether `at` depends on `other`, directly or transitively.
    fn reaches(graph: &Graph, at: usize, other: usize) -> bool {
        graph.dependencies(at).iter().any(|position| *position == other || reaches(graph, *position, other))
    }

    #[test]
    fn order_keeps_the_declared_order_where_it_may() {
        let (graph, faults) = check(&[("d", &["b", "c"]), ("a", &[]), ("b", &["a"]), ("c", &["a"])]);
        assert_eq!(faults, []);
        assert_eq!(graph.order(), Some(vec![1, 2, 3, 0]));
        assert_eq!(graph.depth(), Some(3));
        let before = graph.ancestors();
        for (at, other) in [(0, 1), (1, 0), (2, 3), (3, 1), (0, 0)] {
            assert_eq!(before.contain(at, other), reaches(&graph, at, other), "{at} {other}");
        }
        assert!(before.contain(0, 1) && !before.contain(1, 0) && !before.contain(2, 3));
    }
}
