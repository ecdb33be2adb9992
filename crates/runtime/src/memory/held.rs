//! Records as they are held in RAM: without what their place, their append and their kind say already.

use std::borrow::Cow;
use std::sync::Arc;

use crate::port::{Epoch, Record, Seq};

/// The names of kinds. There are few, and every record has one.
#[derive(Default)]
pub(super) struct Kinds(Vec<Cow<'static, str>>);

impl Kinds {
    fn number_of(&mut self, kind: Cow<'static, str>) -> u32 {
        let known = self.0.iter().position(|known| *known == kind);
        let number = known.unwrap_or_else(|| {
            self.0.push(kind);
            self.0.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    fn name_of(&self, number: u32) -> Cow<'static, str> {
        let known = usize::try_from(number).ok().and_then(|number| self.0.get(number));
        known.cloned().unwrap_or_default()
    }
}

/// What one append brought.
#[derive(Clone)]
pub(super) struct Appended {
    first: Seq,
    epoch: Epoch,
    records: Box<[Held]>,
}

#[derive(Clone)]
struct Held {
    at_ms: i64,
    body: Arc<[u8]>,
    hash: [u8; 32],
    kind: u32,
    version: u16,
}

impl Appended {
    /// None when there is nothing in it.
    pub(super) fn of(batch: Vec<Record>, kinds: &mut Kinds) -> Option<Self> {
        let (first, epoch) = batch.first().map(|record| (record.seq, record.epoch))?;
        let held = |record: Record| Held {
            at_ms: record.at_ms,
            body: record.body,
            hash: record.hash,
            kind: kinds.number_of(record.kind),
            version: record.version,
        };
        Some(Self { first, epoch, records: batch.into_iter().map(held).collect() })
    }

    /// The place behind its last record.
    pub(super) fn end(&self) -> Seq {
        self.first.plus(self.records.len())
    }

    /// The records as they were appended.
    pub(super) fn records<'a>(&'a self, kinds: &'a Kinds) -> impl Iterator<Item = Record> {
        self.records.iter().enumerate().map(|(place, held)| Record {
            seq: self.first.plus(place),
            at_ms: held.at_ms,
            epoch: self.epoch,
            kind: kinds.name_of(held.kind),
            version: held.version,
            body: held.body.clone(),
            hash: held.hash,
        })
    }
}
