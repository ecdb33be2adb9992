//! Sample values for the promises.

use std::fmt::Debug;

use crate::RunId;
use crate::engine::Chain;
use crate::port::{Append, Epoch, Record, RunRow, Seq};

/// What must have worked.
#[expect(clippy::expect_used, reason = "only tests call it")]
pub(super) fn must<T, E: Debug>(result: Result<T, E>) -> T {
    result.expect("the storage refused what it must do")
}

/// What must have been refused.
#[expect(clippy::expect_used, reason = "only tests call it")]
pub(super) fn refused<T: Debug, E>(result: Result<T, E>) -> E {
    result.expect_err("the storage did what it must refuse")
}

pub(super) fn run(name: &str) -> RunId {
    must(name.parse())
}

/// So many records after `expected`, each with a body of its own and bound to those before.
pub(super) fn batch(run: &RunId, epoch: Epoch, expected: Seq, records: usize) -> Vec<Record> {
    let mut chain = Chain::start(run);
    let all = (Seq::FIRST.0..=expected.plus(records).0).map(|seq| chain.seal(record(epoch, Seq(seq))));
    all.filter(|record| record.seq > expected).collect()
}

fn record(epoch: Epoch, seq: Seq) -> Record {
    Record {
        seq,
        at_ms: 1_780_000_000_000 + i64::try_from(seq.0).unwrap_or_default(),
        epoch,
        kind: format!("kind-{}", seq.0 % 3).into(),
        version: u16::try_from(seq.0 % 7).unwrap_or_default(),
        body: format!("{{\"n\":{},\"text\":\"č\\u0000 🌱\"}}", seq.0).into_bytes().into(),
        hash: [0; 32],
    }
}

/// An append of so many records by the first, unclaimed epoch.
pub(super) fn append(run: &RunId, expected: u64, records: usize) -> Append {
    let expected = Seq(expected);
    Append::new(run.clone(), Epoch::NONE, expected, batch(run, Epoch::NONE, expected, records))
}

pub(super) fn row(run: &RunId, head: u64, created_at_ms: i64) -> RunRow {
    RunRow {
        run: run.clone(),
        workspace: "site:1".to_owned(),
        agent: "coach".to_owned(),
        session: None,
        parent: None,
        status: "running".to_owned(),
        created_at_ms,
        updated_at_ms: created_at_ms,
        head: Seq(head),
        wake_at_ms: None,
        summary: "čau".to_owned(),
    }
}
