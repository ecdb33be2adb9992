//! The calls that wait for a result, first come, first served.

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
    /// The one that waits, while nobody else does. The queues are empty then.
    only: Option<(Key<'a>, usize)>,
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
    table: HashTable<Queue<'a>>,
    /// For each call in a queue the position of the one behind it, so that a queue needs no memory of its own.
    behind: Vec<usize>,
}

/// The positions of the first and the last call of one key.
struct Queue<'a> {
    hash: u64,
    key: Key<'a>,
    first: usize,
    last: usize,
}

impl<'a> Waiting<'a> {
    /// Nobody waits yet, in a transcript of this length.
    pub(super) fn in_transcript_of(length: usize) -> Self {
        let queues =
            Queues { seed: RandomState::default(), table: HashTable::new(), behind: vec![0; length] };
        Self { only: None, queues }
    }

    /// The call at this position joins the end of its queue.
    #[inline]
    pub(super) fn join(&mut self, call: Half<'a>, position: usize) {
        let key = Key::of(call);
        if self.only.is_none() && self.queues.table.is_empty() {
            self.only = Some((key, position));
            return;
        }
        if let Some((key, position)) = self.only.take() {
            self.queues.join(key, position);
        }
        self.queues.join(key, position);
    }

    /// The position of the call this result answers, which leaves its queue.
    #[inline]
    pub(super) fn take(&mut self, result: Half<'a>) -> Option<usize> {
        let key = Key::of(result);
        match self.only {
            Some((only, position)) => (only == key).then(|| {
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
    fn join(&mut self, key: Key<'a>, position: usize) {
        let hash = self.seed.hash_one(key.text());
        match self.table.find_mut(hash, |queue| queue.is_of(hash, key)) {
            Some(queue) => {
                let last = std::mem::replace(&mut queue.last, position);
                if let Some(behind) = self.behind.get_mut(last) {
                    *behind = position;
                }
            }
            None => {
                let queue = Queue { hash, key, first: position, last: position };
                self.table.insert_unique(hash, queue, |queue| queue.hash);
            }
        }
    }

    #[inline]
    fn take(&mut self, key: Key<'a>) -> Option<usize> {
        let hash = self.seed.hash_one(key.text());
        let mut found = self.table.find_entry(hash, |queue| queue.is_of(hash, key)).ok()?;
        let queue = found.get_mut();
        let first = queue.first;
        if first == queue.last {
            found.remove();
        } else {
            queue.first = self.behind.get(first).copied()?;
        }
        Some(first)
    }
}

impl Queue<'_> {
    #[inline]
    fn is_of(&self, hash: u64, key: Key<'_>) -> bool {
        self.hash == hash && self.key == key
    }
}
