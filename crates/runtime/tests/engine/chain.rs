//! The stored form of events and the chain that binds them.

use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::engine::{Chain, DecodeError, decode, encode};
use provost_runtime::port::{Epoch, Record, Seq};

use super::sample::{events, spec, turn};

fn run() -> RunId {
    "run_sample".parse().expect("it is a run's name")
}

fn records() -> Vec<Record> {
    let mut chain = Chain::start(&run());
    let events = events(spec(), [turn(1, "ferns"), turn(2, "moss")].concat());
    events.iter().map(|event| encode(event, Epoch(3), &mut chain)).collect()
}

/// Whether the chain finds the records to be what was written.
fn verifies(run: &RunId, records: &[Record]) -> bool {
    Chain::start(run).verify(run, records).is_ok()
}

#[test]
fn events_come_back_as_they_were_stored() {
    let written = events(spec(), [turn(1, "ferns"), turn(2, "moss")].concat());
    let read: Vec<_> = records().iter().map(|record| decode(record).expect("we wrote it")).collect();
    assert_eq!(read, written);
    assert!(verifies(&run(), &records()));
}

#[test]
fn any_changed_byte_is_found() {
    let written = records();
    for place in 0..written.len() {
        for byte in 0..written[place].body.len() {
            let mut changed = written.clone();
            Arc::make_mut(&mut changed[place].body)[byte] ^= 1;
            assert!(!verifies(&run(), &changed), "byte {byte} of record {place}");
        }
    }
}

#[test]
fn any_changed_envelope_is_found() {
    type Change = fn(&mut Record);
    let changes: [Change; 6] = [
        |record| record.seq = Seq(99),
        |record| record.at_ms += 1,
        |record| record.epoch = Epoch(4),
        |record| record.kind = "turn_started_".into(),
        |record| record.version += 1,
        |record| record.hash[0] ^= 1,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        for place in 0..records().len() {
            let mut changed = records();
            change(&mut changed[place]);
            assert!(!verifies(&run(), &changed), "change {number} of record {place}");
        }
    }
}

#[test]
fn a_journal_is_bound_to_its_run_and_order() {
    let other: RunId = "run_other".parse().expect("it is a run's name");
    assert!(!verifies(&other, &records()));
    let mut swapped = records();
    swapped.swap(1, 2);
    assert!(!verifies(&run(), &swapped));
    let mut missing = records();
    missing.remove(2);
    assert!(!verifies(&run(), &missing));
    let (first, rest) = {
        let all = records();
        (all[..3].to_vec(), all[3..].to_vec())
    };
    let end = Chain::start(&run()).verify(&run(), &first).expect("nothing was changed");
    assert!(end.verify(&run(), &rest).is_ok(), "a chain goes on from where it was verified");
}

#[test]
fn a_record_of_a_newer_program_is_named_and_an_unreadable_one_refused() {
    let mut newer = records().remove(1);
    newer.version = 9;
    assert!(matches!(decode(&newer), Err(DecodeError::Newer { version: 9, .. })));
    let mut unknown = records().remove(1);
    unknown.kind = "turn_dreamt".into();
    assert!(matches!(decode(&unknown), Err(DecodeError::Newer { .. })));
    let mut damaged = records().remove(1);
    damaged.body = b"{\"turn\":\"one\"}".as_slice().into();
    assert!(matches!(decode(&damaged), Err(DecodeError::Body { .. })));
}
