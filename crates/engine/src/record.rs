//! An event as it is stored, and the hash chain over the records of a run.
//!
//! The chain covers the exact bytes that are stored. A record's words can be erased: its hashes stay, so
//! the chain still verifies.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Actor, Digest, Epoch, RunId, Seq, Time};

/// One stored event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its position in the journal.
    pub seq: Seq,
    /// When it was recorded. A record only; nothing is decided by it.
    pub at: Time,
    /// The epoch of the worker that wrote it.
    pub epoch: Epoch,
    /// Who did it, as JSON.
    pub actor: Arc<str>,
    /// The name of its kind.
    pub kind: Arc<str>,
    /// The version of its kind.
    pub version: u16,
    /// What the fold needs, as JSON: ids, numbers, enums, digests. Never erased.
    pub facts: Arc<str>,
    /// The rest, as JSON: messages, arguments, results, reasons. None when it was erased.
    pub words: Option<Arc<str>>,
    /// The hash of the facts.
    pub facts_hash: Digest,
    /// The hash of the words, also when they were erased.
    pub words_hash: Digest,
    /// The hash of this record and of all before it.
    pub hash: Digest,
    /// Who erased the words, when and why.
    pub erased: Option<Erasure>,
}

/// Who erased the words of a record, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Erasure {
    /// Who did it.
    pub by: Actor,
    /// When.
    pub at: Time,
    /// Why.
    pub reason: String,
}

/// What a record says before it is chained.
#[derive(Clone, Debug)]
pub struct Unchained {
    /// Its position in the journal.
    pub seq: Seq,
    /// When it was recorded.
    pub at: Time,
    /// The epoch of the worker that writes it.
    pub epoch: Epoch,
    /// Who did it, as JSON.
    pub actor: Arc<str>,
    /// The name of its kind.
    pub kind: Arc<str>,
    /// The version of its kind.
    pub version: u16,
    /// The facts, as JSON.
    pub facts: Arc<str>,
    /// The words, as JSON.
    pub words: Arc<str>,
}

impl Unchained {
    /// Returns the record that follows `previous` in the chain of `run`.
    pub fn chain(self, run: &RunId, previous: Digest) -> Record {
        let (facts_hash, words_hash) = (Digest::of(self.facts.as_bytes()), Digest::of(self.words.as_bytes()));
        let mut record = Record {
            seq: self.seq,
            at: self.at,
            epoch: self.epoch,
            actor: self.actor,
            kind: self.kind,
            version: self.version,
            facts: self.facts,
            words: Some(self.words),
            facts_hash,
            words_hash,
            hash: Digest::ZERO,
            erased: None,
        };
        record.hash = record.chained_hash(run, previous);
        record
    }
}

impl Record {
    /// Returns the hash that the record must have after `previous`.
    fn chained_hash(&self, run: &RunId, previous: Digest) -> Digest {
        let body = Digest::of(&[self.facts_hash.0, self.words_hash.0].concat());
        let (seq, at, epoch) =
            (self.seq.0.to_be_bytes(), self.at.0.to_be_bytes(), self.epoch.0.to_be_bytes());
        let version = u64::from(self.version).to_be_bytes();
        let fields: [&[u8]; 9] = [
            &previous.0,
            run.as_str().as_bytes(),
            &seq,
            &at,
            &epoch,
            self.actor.as_bytes(),
            self.kind.as_bytes(),
            &version,
            &body.0,
        ];
        let mut bytes = Vec::with_capacity(256);
        for field in fields {
            bytes.extend(u32::try_from(field.len()).unwrap_or(u32::MAX).to_be_bytes());
            bytes.extend(field);
        }
        Digest::of(&bytes)
    }

    /// Checks that the record follows `previous` in the chain of `run`, byte for byte.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn verify(&self, run: &RunId, previous: (Seq, Digest)) -> Result<(), ChainError> {
        let (before, hash) = previous;
        let fault = |problem| Err(ChainError { seq: self.seq, problem });
        if self.seq != before.plus(1) {
            return fault(ChainProblem::Gap { after: before });
        }
        if Digest::of(self.facts.as_bytes()) != self.facts_hash {
            return fault(ChainProblem::Facts);
        }
        match &self.words {
            Some(words) if Digest::of(words.as_bytes()) != self.words_hash => {
                return fault(ChainProblem::Words);
            }
            None if self.erased.is_none() => return fault(ChainProblem::WordsMissing),
            Some(_) | None => {}
        }
        if self.chained_hash(run, hash) == self.hash { Ok(()) } else { fault(ChainProblem::Hash) }
    }
}

/// A record that does not fit into its chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("record {seq}: {problem}")]
pub struct ChainError {
    /// The record.
    pub seq: Seq,
    /// What does not fit.
    pub problem: ChainProblem,
}

/// What does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainProblem {
    /// A record is missing or stands twice.
    #[error("does not follow record {after}")]
    Gap {
        /// The record before it.
        after: Seq,
    },
    /// The facts are not the ones that were written.
    #[error("its facts were changed")]
    Facts,
    /// The words are not the ones that were written.
    #[error("its words were changed")]
    Words,
    /// The words are gone, and no erasure says why.
    #[error("its words are missing, and no erasure is recorded")]
    WordsMissing,
    /// The record, or one before it, is not the one that was written.
    #[error("its hash does not follow from what is stored")]
    Hash,
}

/// Checks the records of a run from `from` on, and returns the head of the chain.
///
/// # Errors
/// The first record that does not fit.
pub fn verify<'a>(
    run: &RunId,
    from: (Seq, Digest),
    records: impl IntoIterator<Item = &'a Record>,
) -> Result<(Seq, Digest), ChainError> {
    records.into_iter().try_fold(from, |previous, record| {
        record.verify(run, previous)?;
        Ok((record.seq, record.hash))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        "run_a".parse().unwrap()
    }

    fn record(seq: u64, previous: Digest) -> Record {
        let unchained = Unchained {
            seq: Seq(seq),
            at: Time(7),
            epoch: Epoch(1),
            actor: r#"{"kind":"runtime"}"#.into(),
            kind: "action_started".into(),
            version: 1,
            facts: "{}".into(),
            words: r#"{"reason":"because"}"#.into(),
        };
        unchained.chain(&run(), previous)
    }

    fn chain() -> Vec<Record> {
        let first = record(1, Digest::ZERO);
        let second = record(2, first.hash);
        vec![first, second]
    }

    #[test]
    fn a_chain_verifies_also_after_its_words_were_erased() {
        let mut records = chain();
        let head = verify(&run(), (Seq(0), Digest::ZERO), &records).unwrap();
        records[0].words = None;
        records[0].erased = Some(Erasure { by: Actor::runtime(), at: Time(9), reason: "consent".into() });
        assert_eq!(verify(&run(), (Seq(0), Digest::ZERO), &records).unwrap(), head);
    }

    #[test]
    fn every_changed_field_is_found() {
        type Change = fn(&mut Record);
        let changes: [(&str, Change); 11] = [
            ("seq", |record| record.seq = Seq(5)),
            ("at", |record| record.at = Time(8)),
            ("epoch", |record| record.epoch = Epoch(2)),
            ("actor", |record| record.actor = "{}".into()),
            ("kind", |record| record.kind = "run_ended".into()),
            ("version", |record| record.version = 2),
            ("facts", |record| record.facts = "{\"a\":1}".into()),
            ("words", |record| record.words = Some("{}".into())),
            ("no words", |record| record.words = None),
            ("facts_hash", |record| record.facts_hash = Digest::of(b"x")),
            ("hash", |record| record.hash = Digest::of(b"x")),
        ];
        for (name, change) in changes {
            let mut records = chain();
            change(&mut records[0]);
            assert!(verify(&run(), (Seq(0), Digest::ZERO), &records).is_err(), "{name}");
        }
        let other: RunId = "run_b".parse().unwrap();
        assert!(verify(&other, (Seq(0), Digest::ZERO), &chain()).is_err(), "another run's records");
    }

    #[test]
    fn a_missing_record_is_found() {
        let records = chain();
        assert!(verify(&run(), (Seq(0), Digest::ZERO), &records[1..]).is_err());
    }
}
