//! Records as they are held in RAM: a log of bytes, without what follows from the rest.
//!
//! The hash of a record follows from those before it, so few are held and the others are worked out when
//! somebody reads. What was changed meanwhile is found all the same: it does not lead to the next one held.

use std::borrow::Cow;
use std::sync::Arc;

use crate::RunId;
use crate::engine::Chain;
use crate::port::{Epoch, Record, Seq};

/// So much of the log is in one piece. A longer log begins another and moves nothing that is written.
const SEGMENT_BYTES: usize = 1_024;
/// A piece begins with less unless the one before was filled: most of it may never be needed.
const FIRST_BYTES: usize = 256;
/// What the log says of every record.
const HEAD_BYTES: usize = 4 + 2 + 1;
/// The length that stands for a body beside the log.
const SHARED: u8 = u8::MAX;
/// A body of up to this length stands in the log; a longer one is shared with whoever works on the run.
const SHORT_BYTES: usize = 96;

/// So many bodies more find room at a time; a segment has not many.
const SHARED_STEP: usize = 8;

/// The kinds of records and their versions. There are few, and every record has one.
#[derive(Default)]
pub(super) struct Kinds(Vec<(Cow<'static, str>, u16)>);

impl Kinds {
    fn number_of(&mut self, kind: Cow<'static, str>, version: u16) -> u16 {
        let known = self.0.iter().position(|known| known.1 == version && known.0 == kind);
        let number = known.unwrap_or_else(|| {
            self.0.push((kind, version));
            self.0.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    fn named(&self, number: u16) -> (Cow<'static, str>, u16) {
        self.0.get(usize::from(number)).cloned().unwrap_or_default()
    }
}

/// The records of a run, in their order.
#[derive(Default)]
pub(super) struct Held {
    segments: Vec<Segment>,
    head: Seq,
}

/// Some records in a row, all of one epoch.
struct Segment {
    epoch: Epoch,
    first: Seq,
    /// When the first was recorded; the others tell how much later they were.
    since_ms: i64,
    /// Of each record: when, its kind, the length of its body, and the body when it is short.
    log: Vec<u8>,
    /// The bodies that are not.
    shared: Vec<Arc<[u8]>>,
    /// The hash of the last.
    end: Chain,
}

impl Held {
    /// The place of the newest record.
    pub(super) fn head(&self) -> Seq {
        self.head
    }

    /// Adds what an append brought.
    pub(super) fn extend(&mut self, batch: Vec<Record>, kinds: &mut Kinds) {
        for record in batch {
            debug_assert_eq!(record.seq, self.head.next(), "an append was admitted");
            self.head = record.seq;
            if !self.segments.last().is_some_and(|segment| segment.has_room_for(&record)) {
                let filled =
                    self.segments.last().is_some_and(|segment| segment.log.len() > SEGMENT_BYTES / 2);
                let room = if filled { SEGMENT_BYTES } else { FIRST_BYTES };
                self.segments.push(Segment::before(&record, room));
            }
            if let Some(segment) = self.segments.last_mut() {
                segment.add(record, kinds);
            }
        }
    }

    /// The records from a place on, as they were appended.
    pub(super) fn from(&self, run: &RunId, from: Seq, kinds: &Kinds) -> impl Iterator<Item = Record> {
        let passed = self.segments.partition_point(|segment| segment.first <= from).saturating_sub(1);
        let before = self.segments.iter().take(passed).next_back();
        let mut end = before.map_or_else(|| Chain::start(run), |segment| segment.end);
        let later = self.segments.iter().skip(passed).flat_map(move |segment| {
            let before = std::mem::replace(&mut end, segment.end);
            segment.records(before, kinds)
        });
        later.skip_while(move |record| record.seq < from)
    }
}

impl Segment {
    fn before(record: &Record, room: usize) -> Self {
        Self {
            epoch: record.epoch,
            first: record.seq,
            since_ms: record.at_ms,
            log: Vec::with_capacity(room),
            shared: Vec::new(),
            end: Chain::after(record),
        }
    }

    fn has_room_for(&self, record: &Record) -> bool {
        let bytes = self.log.len() + HEAD_BYTES + record.body.len().min(SHORT_BYTES);
        self.epoch == record.epoch && self.elapsed(record).is_some() && bytes <= SEGMENT_BYTES
    }

    /// How much later than the first a record is; none when that is not, or too much.
    fn elapsed(&self, record: &Record) -> Option<u32> {
        record.at_ms.checked_sub(self.since_ms).and_then(|elapsed| u32::try_from(elapsed).ok())
    }

    fn add(&mut self, record: Record, kinds: &mut Kinds) {
        let elapsed = self.elapsed(&record).unwrap_or_default();
        self.end = Chain::after(&record);
        let Record { kind, version, body, .. } = record;
        let short = u8::try_from(body.len()).ok().filter(|_| body.len() <= SHORT_BYTES);
        self.log.extend_from_slice(&elapsed.to_le_bytes());
        self.log.extend_from_slice(&kinds.number_of(kind, version).to_le_bytes());
        self.log.push(short.unwrap_or(SHARED));
        match short {
            Some(_) => self.log.extend_from_slice(&body),
            None => {
                if self.shared.len() == self.shared.capacity() {
                    self.shared.reserve_exact(SHARED_STEP);
                }
                self.shared.push(body);
            }
        }
    }

    /// The records, which follow the end of a chain.
    fn records(&self, mut chain: Chain, kinds: &Kinds) -> impl Iterator<Item = Record> {
        let (mut log, mut shared, mut seq) = (self.log.as_slice(), self.shared.iter(), self.first);
        std::iter::from_fn(move || {
            let elapsed = u32::from_le_bytes(take(&mut log)?);
            let (kind, version) = kinds.named(u16::from_le_bytes(take(&mut log)?));
            let body = match take(&mut log)? {
                [SHARED] => shared.next()?.clone(),
                [length] => log.split_off(..usize::from(length))?.into(),
            };
            let at_ms = self.since_ms.saturating_add(elapsed.into());
            let record = Record { seq, at_ms, epoch: self.epoch, kind, version, body, hash: self.end.hash() };
            seq = seq.next();
            Some(if log.is_empty() { record } else { chain.seal(record) })
        })
    }
}

/// Takes so many bytes from the front.
fn take<const BYTES: usize>(log: &mut &[u8]) -> Option<[u8; BYTES]> {
    let (taken, rest) = log.split_first_chunk()?;
    *log = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        "run_sample".parse().unwrap()
    }

    fn record(seq: u64, at_ms: i64, epoch: u64, body: usize) -> Record {
        Record {
            seq: Seq(seq),
            at_ms,
            epoch: Epoch(epoch),
            kind: format!("kind-{}", seq % 3).into(),
            version: u16::try_from(seq % 2).unwrap(),
            body: vec![b'x'; body].into(),
            hash: [0; 32],
        }
    }

    fn check(records: impl Iterator<Item = Record>) {
        let mut chain = Chain::start(&run());
        let records: Vec<Record> = records.map(|record| chain.seal(record)).collect();
        let (mut held, mut kinds) = (Held::default(), Kinds::default());
        held.extend(records.clone(), &mut kinds);
        assert_eq!(held.head(), records.last().unwrap().seq);
        for from in 0..=records.len() + 1 {
            let read: Vec<Record> = held.from(&run(), Seq(from as u64), &kinds).collect();
            assert_eq!(read, records[from.saturating_sub(1).min(records.len())..], "from {from}");
        }
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let bodies = [0, 1, SHORT_BYTES, SHORT_BYTES + 1, 254, 255, 256, 5_000];
        let sizes = bodies.iter().cycle().take(100);
        check((1..).zip(sizes).map(|(seq, body)| record(seq, 1_000, 0, *body)));
    }

    #[test]
    fn times_far_apart_or_backwards_and_epochs_are_kept() {
        let times = [0, 5, 4, i64::MAX, i64::MIN, -1, 1 << 33, (1 << 33) + 1];
        check((1..).zip(times).map(|(seq, at_ms)| record(seq, at_ms, 0, 3)));
        check((1..=9).map(|seq| record(seq, 0, seq / 3, 3)));
    }

    #[test]
    fn a_change_is_found_by_the_chain() {
        let (mut held, mut kinds, mut chain) = (Held::default(), Kinds::default(), Chain::start(&run()));
        held.extend((1..=200).map(|seq| chain.seal(record(seq, 0, 0, 3))).collect(), &mut kinds);
        let verified = |held: &Held| {
            let read: Vec<Record> = held.from(&run(), Seq::FIRST, &kinds).collect();
            Chain::start(&run()).verify(&run(), &read).is_ok()
        };
        assert!(verified(&held));
        for number in 0..held.segments.len() {
            let byte = held.segments[number].log.len() - 1;
            held.segments[number].log[byte] ^= 1;
            assert!(!verified(&held), "segment {number}");
            held.segments[number].log[byte] ^= 1;
        }
    }
}
