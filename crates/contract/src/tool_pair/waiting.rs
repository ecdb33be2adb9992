//! The calls that wait for a result, first come, first served.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::RandomState;

use super::Half;

/// The waiting calls of a transcript. Joining and leaving cost the same however many wait.
///
/// Everything here is inlined into the walk, which is bound by memory: the fewer instructions a message
/// takes, the more messages the processor fetches at once. It halves the time of a long transcript.
pub(super) struct Waiting<'a> {
    queues: Queues<'a>,
    /// For each call in a queue the position of the one behind it, so that a queue needs no memory of its own.
    behind: Vec<usize>,
}

/// Calls by what their result must name.
#[derive(Default)]
struct Queues<'a> {
    by_id: HashMap<&'a str, Queue, RandomState>,
    by_name: HashMap<&'a str, Queue, RandomState>,
}

/// How much larger a full map becomes. Growing means reading every key again, all over the memory.
const GROWTH: usize = 8;

/// The positions of the first and the last call in a queue.
struct Queue {
    first: usize,
    last: usize,
}

impl<'a> Waiting<'a> {
    /// Nobody waits yet, in a transcript of this length.
    pub(super) fn in_transcript_of(length: usize) -> Self {
        Self { queues: Queues::default(), behind: vec![0; length] }
    }

    /// The call at this position joins the end of its queue.
    #[inline(always)]
    pub(super) fn join(&mut self, call: Half<'a>, position: usize) {
        let by_id = &mut self.queues.by_id;
        if by_id.len() == by_id.capacity() {
            by_id.reserve(by_id.len() * GROWTH);
        }
        match self.queues.of(call) {
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
    #[inline(always)]
    pub(super) fn take(&mut self, result: Half<'a>) -> Option<usize> {
        let Entry::Occupied(mut entry) = self.queues.of(result) else { return None };
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

impl<'a> Queues<'a> {
    /// The queue of a half. An id speaks alone; only where there is none does the tool's name speak.
    #[inline(always)]
    fn of(&mut self, half: Half<'a>) -> Entry<'_, &'a str, Queue> {
        match half.tool_call_id() {
            "" => self.by_name.entry(half.tool_name()),
            id => self.by_id.entry(id),
        }
    }
}
