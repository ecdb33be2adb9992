//! Events as records and back: nothing is lost, no word is a fact, and erased words leave a whole journal.

use std::collections::BTreeSet;

use provost_engine::event::{DecodeError, ERASED};
use provost_engine::{Actor, Digest, Erasure, Event, EventKind, Record, Seq, Time, verify};
use serde_json::Value;

use crate::sample::{self, event, is_unmarked};
use crate::values;

fn record_of(event: &Event) -> Record {
    event.to_record(&values::run(), Digest::ZERO).unwrap()
}

pub(crate) fn erase(record: &mut Record) {
    record.words = None;
    record.erased = Some(Erasure { by: Actor::runtime(), at: Time(9), reason: "consent".into() });
}

#[test]
fn every_kind_reads_back_as_written() {
    let mut seen = BTreeSet::new();
    for kind in sample::kinds() {
        seen.insert(kind.name());
        let event = event(kind);
        assert_eq!(Event::from_record(&record_of(&event)).unwrap(), event);
    }
    let all: BTreeSet<&str> = EventKind::ALL.iter().map(|(name, ..)| *name).collect();
    assert_eq!(seen, all);
}

#[test]
fn no_word_is_a_fact() {
    for kind in sample::kinds() {
        let record = record_of(&event(kind));
        let facts: Value = serde_json::from_str(&record.facts).unwrap();
        assert!(is_unmarked(&facts), "{}: {facts}", record.kind);
    }
}

/// A path of words that no sample fills would be a misspelt one.
#[test]
fn every_path_of_words_is_filled_by_a_sample() {
    let mut filled: BTreeSet<(String, String)> = BTreeSet::new();
    for kind in sample::kinds() {
        let record = record_of(&event(kind));
        let words: serde_json::Map<String, Value> =
            serde_json::from_str(record.words.as_deref().unwrap()).unwrap();
        for path in words.keys() {
            filled.insert((record.kind.to_string(), path.clone()));
        }
    }
    for (name, _, paths) in EventKind::ALL {
        for path in *paths {
            let is_filled = filled.iter().any(|(kind, found)| kind == name && fits(path, found));
            assert!(is_filled, "{name}: {path}");
        }
    }
    let deep = "add/0/steps/0/spec/steps/0/spec/prompt".to_owned();
    assert!(filled.contains(&("declaration_accepted".into(), deep)), "a step of a step has words too");
}

fn fits(path: &str, found: &str) -> bool {
    let without_steps = found.split("/steps/").collect::<Vec<_>>();
    let plain = match without_steps.as_slice() {
        [whole] => (*whole).to_owned(),
        [first, .., last] => format!("{first}/{}", last.split_once("/spec/").map_or("", |(_, rest)| rest)),
        [] => String::new(),
    };
    let path = path.replace("/...", "");
    let (wanted, got): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), plain.split('/').collect());
    wanted.len() == got.len() && wanted.iter().zip(&got).all(|(wanted, got)| *wanted == "*" || wanted == got)
}

#[test]
fn erased_words_still_decode_and_verify() {
    for kind in sample::kinds() {
        let name = kind.name();
        let mut record = record_of(&event(kind));
        let head = (Seq(1), record.hash);
        erase(&mut record);
        let read = Event::from_record(&record).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(read.erased);
        assert_eq!(read.kind.name(), name);
        assert_eq!(verify(&values::run(), (Seq(0), Digest::ZERO), [&record]).unwrap(), head);
    }
}

#[test]
fn a_record_of_a_newer_program_is_refused() {
    for (name, version, _) in EventKind::ALL {
        let kind = sample::kinds().into_iter().find(|kind| kind.name() == *name).unwrap();
        let newer = Record { version: version + 1, ..record_of(&event(kind)) };
        let refused = Event::from_record(&newer);
        assert!(
            matches!(&refused, Err(DecodeError::Newer { kind, version: v, .. }) if kind == name && *v == version + 1)
        );
    }
    let unknown = Record { kind: "run_teleported".into(), ..record_of(&event(sample::kinds().remove(0))) };
    assert!(matches!(Event::from_record(&unknown), Err(DecodeError::Newer { .. })));
}

/// Version 0 was never written. It stands for an older version in this exercise: its body goes through the
/// hook from 0 to the version of today, and is read as that.
#[test]
fn a_record_of_an_older_version_is_brought_up_to_date() {
    for kind in sample::kinds() {
        let event = event(kind);
        let older = Record { version: 0, ..record_of(&event) };
        assert_eq!(Event::from_record(&older).unwrap(), event);
    }
}

#[test]
fn a_body_that_is_not_what_its_kind_says_is_named() {
    let record = Record { facts: "{}".into(), ..record_of(&event(sample::kinds().remove(0))) };
    assert!(matches!(Event::from_record(&record), Err(DecodeError::Body { .. })));
}

#[test]
fn what_people_read_says_that_it_was_erased() {
    let mut marked = BTreeSet::new();
    for kind in sample::kinds() {
        let mut record = record_of(&event(kind));
        erase(&mut record);
        let read = Event::from_record(&record).unwrap();
        let again = record_of(&read);
        if again.words.as_deref().is_some_and(|words| words.contains(ERASED)) {
            marked.insert(read.kind.name());
        }
    }
    let wanted = ["run_accepted", "signal_taken", "run_ended", "model_responded", "action_ended"];
    assert_eq!(marked, BTreeSet::from(wanted));
}
