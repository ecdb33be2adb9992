//! Records as they are held in RAM: without what their place and their kind say already.

use std::borrow::Cow;
use std::sync::Arc;

use crate::port::{Epoch, Record, Seq};
use crate::segments::Segments;

/// The names of kinds. There are few, and every record has one.
#[derive(Default)]
pub(super) struct Kinds(Vec<Cow<'static, str>>);

impl Kinds {
    fn number_of(&mut self, kind: Cow<'static, str>) -> u16 {
        let known = self.0.iter().position(|known| *known == kind);
        let number = known.unwrap_or_else(|| {
            self.0.push(kind);
            self.0.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    fn name_of(&self, number: u16) -> Cow<'static, str> {
        self.0.get(usize::from(number)).cloned().unwrap_or_default()
    }
}

/// The records of a run, in their order.
#[derive(Default)]
pub(super) struct Held {
    records: Segments<HeldRecord>,
    /// The epochs they were written in, each with the place of its first record.
    epochs: Vec<(Seq, Epoch)>,
}

#[derive(Clone)]
struct HeldRecord {
    at_ms: i64,
    body: Arc<[u8]>,
    hash: [u8; 32],
    kind: u16,
    version: u16,
}

impl Held {
    /// The place of the newest record.
    pub(super) fn head(&self) -> Seq {
        Seq::NONE.plus(self.records.len())
    }

    /// Adds what an append brought.
    pub(super) fn extend(&mut self, batch: Vec<Record>, kinds: &mut Kinds) {
        for record in batch {
            debug_assert_eq!(record.seq, self.head().next(), "an append was admitted");
            if self.epochs.last().is_none_or(|(_, epoch)| *epoch != record.epoch) {
                self.epochs.push((record.seq, record.epoch));
            }
            let Record { at_ms, body, hash, version, kind, .. } = record;
            self.records.push(HeldRecord { at_ms, body, hash, kind: kinds.number_of(kind), version });
        }
    }

    /// The records from a place on, as they were appended.
    pub(super) fn from(&self, from: Seq, kinds: &Kinds) -> impl Iterator<Item = Record> {
        let from = from.max(Seq::FIRST);
        let before = usize::try_from(from.0 - Seq::FIRST.0).unwrap_or(usize::MAX);
        self.records.iter_from(before).enumerate().map(move |(place, held)| {
            let seq = from.plus(place);
            Record {
                seq,
                at_ms: held.at_ms,
                epoch: self.epoch_of(seq),
                kind: kinds.name_of(held.kind),
                version: held.version,
                body: held.body.clone(),
                hash: held.hash,
            }
        })
    }

    fn epoch_of(&self, seq: Seq) -> Epoch {
        let later = self.epochs.partition_point(|(first, _)| *first <= seq);
        self.epochs.get(later.wrapping_sub(1)).map(|(_, epoch)| *epoch).unwrap_or_default()
    }
}
