//! The calls that wait for a result, first come, first served.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::Half;

/// Calls by what their result must name. Joining and leaving cost the same however many wait.
pub(super) struct Waiting<'a> {
    queues: HashMap<Key<'a>, Queue, RandomState>,
    /// For each call in a queue the position of the one behind it, so that a queue needs no memory of its own.
    behind: Vec<usize>,
}

/// What pairs two halves. An id speaks alone; only where there is none does the tool's name speak.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Id(&'a str),
    Name(&'a str),
}

/// The positions of the first and the last call in a queue.
struct Queue {
    first: usize,
    last: usize,
}

impl<'a> Waiting<'a> {
    /// Nobody waits yet, in a transcript of this length.
    pub(super) fn in_transcript_of(length: usize) -> Self {
        Self { queues: HashMap::default(), behind: vec![0; length] }
    }

    /// The call at this position joins the end of its queue.
    pub(super) fn join(&mut self, call: Half<'a>, position: usize) {
        match self.queues.entry(Key::of(call)) {
            Entry::Vacant(entry) => {
                entry.insert(Queue { first: position, last: position });
            }
            Entry::Occupied(mut entry) => {
                let queue = entry.get_mut();
                if let Some(behind) = self.behind.get_mut(queue.last) {
                    *behind = position;
                }
                queue.last = position;
            }
        }
    }

    /// The position of the call this result answers, which leaves its queue.
    pub(super) fn take(&mut self, result: Half<'a>) -> Option<usize> {
        let Entry::Occupied(mut entry) = self.queues.entry(Key::of(result)) else { return None };
        let queue = entry.get_mut();
        let first = queue.first;
        if first == queue.last {
            entry.remove();
        } else {
            queue.first = self.behind.get(first).copied()?;
        }
        Some(first)
    }
}

impl<'a> Key<'a> {
    fn of(half: Half<'a>) -> Self {
        let id = half.tool_call_id();
        if id.is_empty() { Self::Name(half.tool_name()) } else { Self::Id(id) }
    }
}
