//! Access to resources: readers in parallel, a writer alone, in declaration order.
//!
//! An action acquires all its resources when it starts and none earlier, so it never holds one while it waits
//! for another and there is no deadlock. Of two ready actions that exclude each other, the one declared
//! first goes first.

use std::collections::BTreeSet;

use provost_contract::action::Access;
use provost_contract::policies::ConflictResolution;

use super::checked_graph::ScheduledAction;

/// The contended resources of a graph, by number: those that two actions use, one of
/// them to write, unless all accept the last writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// The resources that each action uses; empty if there is no contention.
    by_action: Vec<Vec<(usize, Access)>>,
    resources: usize,
}

impl Uses {
    /// Collects the declared resources of a graph.
    pub(super) fn of(actions: &[ScheduledAction<'_>]) -> Self {
        let mut used: Vec<(&str, usize, Access)> = Vec::new();
        for (at, ScheduledAction { action, .. }) in actions.iter().enumerate() {
            used.extend(
                action.resources.iter().map(|resource| (resource.name.as_str(), at, resource.access)),
            );
        }
        used.sort_by_key(|(name, at, _)| (*name, *at));
        let lenient = |(_, at, _): &(&str, usize, Access)| {
            actions.get(*at).is_some_and(|one| one.rules.conflicts == ConflictResolution::LastWriter)
        };
        let mut uses = Self::default();
        for users in used.chunk_by(|(one, ..), (other, ..)| one == other) {
            if !users.iter().all(lenient) {
                uses.add(actions.len(), users.iter().map(|(_, at, access)| (*at, *access)));
            }
        }
        uses
    }

    /// Collects the uses of actions that all share one resource.
    pub(super) fn of_one(accesses: &[Access]) -> Self {
        let mut uses = Self::default();
        uses.add(accesses.len(), accesses.iter().copied().enumerate());
        uses
    }

    /// Adds a resource with its users in declaration order. It is contended if two actions use it and one of
    /// them writes.
    fn add(&mut self, actions: usize, users: impl Iterator<Item = (usize, Access)> + Clone) {
        let mut others = users.clone().map(|(at, _)| at);
        let first = others.next();
        let is_shared = others.any(|at| Some(at) != first);
        if !is_shared || users.clone().all(|(_, access)| access == Access::Read) {
            return;
        }
        self.by_action.resize(actions, Vec::new());
        for (at, access) in users {
            let Some(used) = self.by_action.get_mut(at) else { continue };
            match used.last_mut() {
                Some((resource, known)) if *resource == self.resources => *known = stronger(*known, access),
                Some(_) | None => used.push((self.resources, access)),
            }
        }
        self.resources += 1;
    }

    fn of_action(&self, at: usize) -> &[(usize, Access)] {
        self.by_action.get(at).map_or(&[], Vec::as_slice)
    }
}

fn stronger(left: Access, right: Access) -> Access {
    match (left, right) {
        (Access::Read, Access::Read) => Access::Read,
        (Access::Write, _) | (_, Access::Write) => Access::Write,
    }
}

/// One resource. A waiting action may start if its position is below the bound of its access.
#[derive(Clone, Debug, Default)]
struct Queue {
    readers: usize,
    writers: usize,
    reading: Line,
    writing: Line,
}

#[derive(Clone, Debug, Default)]
struct Line {
    waiting: BTreeSet<usize>,
    bound: usize,
}

impl Queue {
    fn line(&mut self, access: Access) -> &mut Line {
        match access {
            Access::Read => &mut self.reading,
            Access::Write => &mut self.writing,
        }
    }

    fn held(&mut self, access: Access) -> &mut usize {
        match access {
            Access::Read => &mut self.readers,
            Access::Write => &mut self.writers,
        }
    }

    /// Returns the bounds that follow from holders and waiters.
    fn bounds(&self) -> (usize, usize) {
        let first = |line: &Line| line.waiting.first().copied().unwrap_or(usize::MAX);
        let (reader, writer) = (first(&self.reading), first(&self.writing));
        let reading = if self.writers > 0 { 0 } else { writer };
        let busy = self.writers > 0 || self.readers > 0;
        let writing = if busy { 0 } else { reader.min(writer.saturating_add(1)) };
        (reading, writing)
    }
}

/// The waiters of each resource, and the number of resources that block each action.
#[derive(Clone, Debug)]
pub(super) struct Contention {
    queues: Vec<Queue>,
    hindered: Vec<u32>,
}

impl Contention {
    pub(super) fn new(uses: &Uses) -> Self {
        Self { queues: vec![Queue::default(); uses.resources], hindered: vec![0; uses.by_action.len()] }
    }

    /// Registers an action that is ready except for its resources; it is added to `startable` once none
    /// blocks it.
    pub(super) fn wait(&mut self, uses: &Uses, at: usize, startable: &mut BTreeSet<usize>) {
        startable.insert(at);
        for (resource, access) in uses.of_action(at) {
            let Some(queue) = self.queues.get_mut(*resource) else { continue };
            let line = queue.line(*access);
            line.waiting.insert(at);
            if at >= line.bound {
                hinder(&mut self.hindered, at, startable);
            }
            refresh(queue, &mut self.hindered, startable);
        }
    }

    /// Acquires the resources of an action.
    pub(super) fn take(&mut self, uses: &Uses, at: usize, startable: &mut BTreeSet<usize>) {
        startable.remove(&at);
        for (resource, access) in uses.of_action(at) {
            let Some(queue) = self.queues.get_mut(*resource) else { continue };
            queue.line(*access).waiting.remove(&at);
            *queue.held(*access) += 1;
            refresh(queue, &mut self.hindered, startable);
        }
    }

    /// Removes an action that will not start: others need not wait for it.
    pub(super) fn leave(&mut self, uses: &Uses, at: usize, startable: &mut BTreeSet<usize>) {
        for (resource, access) in uses.of_action(at) {
            let Some(queue) = self.queues.get_mut(*resource) else { continue };
            queue.line(*access).waiting.remove(&at);
            refresh(queue, &mut self.hindered, startable);
        }
        if let Some(hindered) = self.hindered.get_mut(at) {
            *hindered = 0;
        }
        startable.remove(&at);
    }

    /// Releases the resources of an action.
    pub(super) fn give_back(&mut self, uses: &Uses, at: usize, startable: &mut BTreeSet<usize>) {
        for (resource, access) in uses.of_action(at) {
            let Some(queue) = self.queues.get_mut(*resource) else { continue };
            let held = queue.held(*access);
            *held = held.saturating_sub(1);
            refresh(queue, &mut self.hindered, startable);
        }
    }
}

/// Moves the bounds and updates the waiters between the old and the new one.
fn refresh(queue: &mut Queue, hindered: &mut [u32], startable: &mut BTreeSet<usize>) {
    let (reading, writing) = queue.bounds();
    for (line, bound) in [(&mut queue.reading, reading), (&mut queue.writing, writing)] {
        let before = std::mem::replace(&mut line.bound, bound);
        if before < bound {
            line.waiting.range(before..bound).for_each(|at| free(hindered, *at, startable));
        } else {
            line.waiting.range(bound..before).for_each(|at| hinder(hindered, *at, startable));
        }
    }
}

fn hinder(hindered: &mut [u32], at: usize, startable: &mut BTreeSet<usize>) {
    if let Some(count) = hindered.get_mut(at) {
        *count += 1;
        startable.remove(&at);
    }
}

fn free(hindered: &mut [u32], at: usize, startable: &mut BTreeSet<usize>) {
    if let Some(count) = hindered.get_mut(at) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            startable.insert(at);
        }
    }
}
