//! Events as records and back.
//!
//! A body is split into facts and words by the paths that its kind declares. A record of an older version
//! is brought up to date on its JSON, one version at a time.

use std::sync::Arc;

use provost_contract::Message;
use serde_json::{Map, Value, json};

use super::{ActionEnd, ERASED, Event, EventKind, ModelUse};
use crate::{Digest, Payload, Record, RunId, Seq, Unchained};

/// Why a record is not an event that this program knows.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// A newer program wrote it.
    #[error("record {seq} is a `{kind}` of version {version}: a newer provost wrote it, update this one")]
    Newer {
        /// The record.
        seq: Seq,
        /// Its kind.
        kind: String,
        /// Its version.
        version: u16,
    },
    /// Its body is not what its kind says.
    #[error("record {seq}, a `{kind}`, cannot be read")]
    Body {
        /// The record.
        seq: Seq,
        /// Its kind.
        kind: String,
        /// What is wrong with it.
        #[source]
        cause: serde_json::Error,
    },
}

impl Event {
    /// Returns the record of this event, chained to `previous`.
    ///
    /// # Errors
    /// If a value of the event cannot be written as JSON.
    pub fn to_record(&self, run: &RunId, previous: Digest) -> serde_json::Result<Record> {
        let name = self.kind.name();
        let (version, paths) = known(name).unwrap_or((1, &[]));
        let mut facts = self.kind.to_value()?;
        let words = take_words(&mut facts, paths);
        let unchained = Unchained {
            seq: self.seq,
            at: self.at,
            epoch: self.epoch,
            actor: serde_json::to_string(&self.actor)?.into(),
            kind: name.into(),
            version,
            facts: serde_json::to_string(&facts)?.into(),
            words: serde_json::to_string(&words)?.into(),
        };
        Ok(unchained.chain(run, previous))
    }

    /// Reads the event of a record.
    ///
    /// # Errors
    /// If a newer program wrote the record, or its body cannot be read.
    pub fn from_record(record: &Record) -> Result<Self, DecodeError> {
        let (seq, kind) = (record.seq, record.kind.as_ref());
        let unreadable = |cause| DecodeError::Body { seq, kind: kind.to_owned(), cause };
        let newer = || DecodeError::Newer { seq, kind: kind.to_owned(), version: record.version };
        let (version, _) = known(kind).ok_or_else(newer)?;
        if record.version > version {
            return Err(newer());
        }
        let mut body: Value = serde_json::from_str(&record.facts).map_err(unreadable)?;
        let words: Option<Map<String, Value>> =
            record.words.as_deref().map(serde_json::from_str).transpose().map_err(unreadable)?;
        let erased = words.is_none();
        put_words(&mut body, words.unwrap_or_default());
        let body = (record.version..version).fold(body, |body, from| upcast(kind, from, body));
        let mut kind = EventKind::from_value(kind, body).ok_or_else(newer)?.map_err(unreadable)?;
        if erased {
            mark_erased(&mut kind);
        }
        let actor = serde_json::from_str(&record.actor).map_err(unreadable)?;
        Ok(Self { seq, at: record.at, epoch: record.epoch, actor, kind, erased })
    }
}

/// Puts a mark where people and models read words that were erased. Where other words were, nothing stands.
fn mark_erased(kind: &mut EventKind) {
    let text = |role| Arc::new(Message::text(role, ERASED));
    match kind {
        EventKind::RunAccepted(accepted) if accepted.spec.model == ModelUse::Asked => {
            Arc::make_mut(&mut accepted.spec).input = vec![text("user")];
        }
        EventKind::ModelResponded(responded) => responded.messages = vec![text("assistant")],
        EventKind::ActionEnded(ended) => {
            let success = ended.status == ActionEnd::Completed;
            let said = if success { "result" } else { "error" };
            ended.summary = Some(ERASED.to_owned());
            ended.result = Payload::inline(json!({ "success": success, said: ERASED }));
        }
        EventKind::RunEnded(ended) => ended.text = Payload::inline(ERASED),
        _ => {}
    }
}

fn known(name: &str) -> Option<(u16, &'static [&'static str])> {
    EventKind::ALL.iter().find(|(kind, ..)| *kind == name).map(|(_, version, words)| (*version, *words))
}

/// Brings a body of version `from` to the next one. Every kind is at version 1: there is nothing to do yet.
fn upcast(_kind: &str, _from: u16, body: Value) -> Value {
    body
}

/// Takes the words out of a body: an object of values by their path.
fn take_words(body: &mut Value, paths: &[&str]) -> Map<String, Value> {
    let mut words = Map::new();
    for path in paths {
        let steps: Vec<&str> = path.split('/').collect();
        take(body, &steps, String::new(), &mut words);
    }
    words
}

fn take(value: &mut Value, steps: &[&str], at: String, words: &mut Map<String, Value>) {
    let Some((step, rest)) = steps.split_first() else { return };
    let below = |name: &str| join(&at, name);
    match (value, *step) {
        (value, "...") => {
            if let Some(Value::Array(below)) = value.get_mut("steps") {
                for (index, item) in below.iter_mut().enumerate() {
                    let Some(spec) = item.get_mut("spec") else { continue };
                    take(spec, steps, join(&at, &format!("steps/{index}/spec")), words);
                }
            }
            take(value, rest, at, words);
        }
        (Value::Array(items), "*") => {
            for (index, item) in items.iter_mut().enumerate() {
                take(item, rest, below(&index.to_string()), words);
            }
        }
        (Value::Object(members), "*") => {
            for (name, member) in members.iter_mut() {
                let path = below(name);
                take(member, rest, path, words);
            }
        }
        (Value::Object(members), name) if rest.is_empty() => {
            if let Some(word) = members.shift_remove(name) {
                words.insert(below(name), word);
            }
        }
        (Value::Object(members), name) => {
            if let Some(member) = members.get_mut(name) {
                take(member, rest, below(name), words);
            }
        }
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_), _) => {}
    }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") }
}

/// Puts words back where they were taken from.
fn put_words(body: &mut Value, words: Map<String, Value>) {
    for (path, word) in words {
        put(body, &path, word);
    }
}

fn put(value: &mut Value, path: &str, word: Value) {
    match (value, path.split_once('/')) {
        (Value::Object(members), None) => {
            members.insert(path.to_owned(), word);
        }
        (Value::Object(members), Some((name, rest))) => {
            if let Some(member) = members.get_mut(name) {
                put(member, rest, word);
            }
        }
        (Value::Array(items), Some((index, rest))) => {
            if let Some(item) = index.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                put(item, rest, word);
            }
        }
        (Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => {}
    }
}
