//! The calls that wait for a result: the newest step first, and in a step first come, first served.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::Half;

/// The waiting calls of a transcript. Joining and leaving cost the same however many wait.
///
/// The walk is bound by memory, for a long transcript lies all over it. So a text is read once where that
/// suffices: the usual case, a call answered by the message behind it, meets no table at all, and a table
/// keeps the hash of a text beside it, to grow without reading it and to compare it only when the hashes agree.
pub(super) struct Waiting<'a> {
    /// The one that waits, its position and its step, while no other does. The queues are empty then.
    only: Option<(Key<'a>, usize, usize)>,
    queues: Queues<'a>,
}

/// What a result must name to answer a call. An id speaks alone; only where there is none does the
/// tool's name speak.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key<'a> {
    Id(&'a str),
    Name(&'a str),
}

/// Calls by their key.
struct Queues<'a> {
    seed: RandomState,
    table: HashTable<Stack<'a>>,
    queues: Vec<Queue>,
    /// For each call in a queue the position of the one behind it, so that a queue needs no memory of its own.
    behind: Vec<usize>,
}

/// The queues of one key, the one of the newest step on top.
struct Stack<'a> {
    hash: u64,
    key: Key<'a>,
    top: usize,
}

/// The positions of the first and the last call of one key in one step.
struct Queue {
    first: usize,
    last: usize,
    step: usize,
    /// The queue of an older step.
    below: Option<usize>,
}

impl<'a> Waiting<'a> {
    /// Nobody waits yet, in a transcript of this length.
    pub(super) fn in_transcript_of(length: usize) -> Self {
        let queues = Queues {
            seed: RandomState::default(),
            table: HashTable::new(),
            queues: Vec::new(),
            behind: vec![0; length],
        };
        Self { only: None, queues }
    }

    /// The call at this position joins the end of the queue of its step.
    #[inline]
    pub(super) fn join(&mut self, call: Half<'a>, position: usize, step: usize) {
        let key = Key::of(call);
        if self.only.is_none() && self.queues.table.is_empty() {
            self.only = Some((key, position, step));
            return;
        }
        if let Some((key, position, step)) = self.only.take() {
            self.queues.join(key, position, step);
        }
        self.queues.join(key, position, step);
    }

    /// The position of the call this result answers, which leaves its queue.
    #[inline]
    pub(super) fn take(&mut self, result: Half<'a>) -> Option<usize> {
        let key = Key::of(result);
        match self.only {
            Some((only, position, _)) => (only == key).then(|| {
                self.only = None;
                position
            }),
            None => self.queues.take(key),
        }
    }
}

impl<'a> Key<'a> {
    #[inline]
    fn of(half: Half<'a>) -> Self {
        match half.tool_call_id() {
            "" => Self::Name(half.tool_name()),
            id => Self::Id(id),
        }
    }

    fn text(self) -> &'a str {
        match self {
            Self::Id(text) | Self::Name(text) => text,
        }
    }
}

impl<'a> Queues<'a> {
    #[inline]
    fn join(&mut self, key: Key<'a>, position: usize, step: usize) {
        let hash = self.seed.hash_one(key.text());
        let new = self.queues.len();
        let Some(stack) = self.table.find_mut(hash, |stack| stack.is_of(hash, key)) else {
            self.table.insert_unique(hash, Stack { hash, key, top: new }, |stack| stack.hash);
            self.queues.push(Queue { first: position, last: position, step, below: None });
            return;
        };
        match self.queues.get_mut(stack.top).filter(|queue| queue.step == step) {
            Some(queue) => {
                let last = std::mem::replace(&mut queue.last, position);
                if let Some(behind) = self.behind.get_mut(last) {
                    *behind = position;
                }
            }
            None => {
                let below = Some(std::mem::replace(&mut stack.top, new));
                self.queues.push(Queue { first: position, last: position, step, below });
            }
        }
    }

    #[inline]
    fn take(&mut self, key: Key<'a>) -> Option<usize> {
        let hash = self.seed.hash_one(key.text());
        let mut found = self.table.find_entry(hash, |stack| stack.is_of(hash, key)).ok()?;
        let queue = self.queues.get_mut(found.get().top)?;
        let first = queue.first;
        match (first == queue.last, queue.below) {
            (false, _) => queue.first = self.behind.get(first).copied()?,
            (true, Some(below)) => found.get_mut().top = below,
            (true, None) => drop(found.remove()),
        }
        Some(first)
    }
}

impl Stack<'_> {
    #[inline]
    fn is_of(&self, hash: u64, key: Key<'_>) -> bool {
        self.hash == hash && self.key == key
    }
}
