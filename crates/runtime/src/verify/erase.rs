//! Erasing the words of an event: everything that repeats them goes too, and the chain still verifies.

use std::collections::BTreeSet;

use provost_engine::event::{Event, EventKind, Note, Outcome};
use provost_engine::{Actor, Digest, Erasure, Payload, Record, RunId, Seq, Time, WaitId};
use serde_json::{Value, json};

use crate::port::Fault;
use crate::store::{Erase, EraseError, Store};

/// How many records are read at a time.
const PAGE: usize = 1_000;
/// Shorter texts are in many records without repeating each other.
const REPEATED_CHARS_MIN: usize = 8;
/// Members whose texts name a format, a tool or a rule.
const FORMAT_MEMBERS: [&str; 16] = [
    "schema",
    "type",
    "role",
    "media",
    "operation",
    "tool_name",
    "name",
    "agent",
    "layer",
    "rule",
    "reason",
    "id",
    "tool_call_id",
    "governed_files",
    "provider",
    "model",
];

/// Why words were not erased.
#[derive(Debug, thiserror::Error)]
pub enum EraseFailure {
    /// There is no such record.
    #[error("run {run} has no record {seq}")]
    Missing {
        /// The run.
        run: RunId,
        /// The record.
        seq: Seq,
    },
    /// The store refused.
    #[error(transparent)]
    Refused(#[from] EraseError),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// What was erased, and what is left of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Erased {
    /// The record.
    pub seq: Seq,
    /// Its kind.
    pub kind: String,
    /// The earlier erasure, if its words were erased before. Then this one changed nothing.
    pub before: Option<Erasure>,
    /// Artifacts that went with it.
    pub artifacts: Vec<Digest>,
    /// Artifacts that it named and that stay, because another run uses them.
    pub shared: Vec<Digest>,
    /// Waits whose question and answer went with it.
    pub waits: Vec<WaitId>,
    /// Records of the run whose words repeat something of it, or name the same artifacts.
    pub repeated: Vec<(Seq, String)>,
}

/// Erases the words of a record, the artifacts that they name and no other run uses, and the wait that repeats them.
/// The facts, the hashes and the chain stay.
///
/// # Errors
/// If there is no such record, or the store fails.
pub async fn erase_words(
    store: &dyn Store,
    run: &RunId,
    seq: Seq,
    (by, at, reason): (Actor, Time, String),
) -> Result<Erased, EraseFailure> {
    let records = all_records(store, run).await?;
    let missing = || EraseFailure::Missing { run: run.clone(), seq };
    let record = records.iter().find(|record| record.seq == seq).ok_or_else(missing)?;
    let event = Event::from_record(record).ok();
    let (artifacts, waits) = event.as_ref().map(named).unwrap_or_default();
    let erased = Erased {
        seq,
        kind: record.kind.to_string(),
        before: record.erased.clone(),
        artifacts: Vec::new(),
        shared: Vec::new(),
        waits: waits.clone(),
        repeated: repeated(record, &artifacts, &records),
    };
    let summary = without_labels(store, run, event.as_ref()).await?;
    let erasure = Erasure { by, at, reason };
    let erase = Erase { run: run.clone(), seq, erasure, artifacts: artifacts.clone(), waits, summary };
    store.erase(erase).await?;
    let mut erased = erased;
    for digest in artifacts {
        let stays = store.artifact_info(digest).await?.is_some();
        if stays { erased.shared.push(digest) } else { erased.artifacts.push(digest) }
    }
    Ok(erased)
}

async fn all_records(store: &dyn Store, run: &RunId) -> Result<Vec<Record>, Fault> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(Seq(0), |record| record.seq);
        let page = store.journal(run.clone(), after, PAGE).await?;
        if page.is_empty() {
            return Ok(records);
        }
        records.extend(page);
    }
}

/// What lists show of a run without its labels, which are words of its first record.
async fn without_labels(
    store: &dyn Store,
    run: &RunId,
    event: Option<&Event>,
) -> Result<Option<Value>, Fault> {
    let is_first = event.is_some_and(|event| matches!(event.kind, EventKind::RunAccepted(_)));
    let Some(listed) = store.run(run.clone()).await?.filter(|_| is_first) else { return Ok(None) };
    let mut summary = listed.summary;
    Ok(summary.get_mut("labels").map(|labels| *labels = json!({})).map(|()| summary))
}

/// The other records whose words have a text of this one, or a part of it, or name one of its artifacts.
fn repeated(record: &Record, artifacts: &[Digest], all: &[Record]) -> Vec<(Seq, String)> {
    let mut mine = texts(record);
    mine.extend(mine.iter().flat_map(|text| telling_words(text)).collect::<Vec<_>>());
    let repeats = |other: &&Record| {
        let Some(words) = other.words.as_deref().filter(|_| other.seq != record.seq) else { return false };
        let names = |digest: &Digest| words.contains(&digest.to_string());
        let theirs = texts(other);
        let shares = |text: &String| {
            theirs.iter().any(|other| other.contains(text.as_str()) || text.contains(other.as_str()))
        };
        artifacts.iter().any(names) || mine.iter().any(shares)
    };
    all.iter().filter(repeats).map(|other| (other.seq, other.kind.to_string())).collect()
}

/// The words of a text that are hardly there by chance: keys, numbers, codes, addresses.
fn telling_words(text: &str) -> impl Iterator<Item = String> {
    let word = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
    let tells = |word: &String| {
        let inner = word.chars().skip(1);
        word.chars().count() >= REPEATED_CHARS_MIN
            && (inner.clone().any(char::is_uppercase)
                || inner.clone().any(|letter| letter.is_numeric() || letter == '@'))
    };
    text.split_whitespace().map(word).filter(tells)
}

/// The texts in the words of a record that say something: not short ones, and not those that name a format.
fn texts(record: &Record) -> BTreeSet<String> {
    let words = record.words.as_deref().and_then(|words| serde_json::from_str(words).ok());
    let mut texts = BTreeSet::new();
    collect_texts(&words.unwrap_or(Value::Null), &mut texts);
    texts
}

fn collect_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.trim().chars().count() >= REPEATED_CHARS_MIN => {
            texts.insert(text.trim().to_owned());
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(members) => {
            let said = members.iter().filter(|(name, _)| !FORMAT_MEMBERS.contains(&name.as_str()));
            said.for_each(|(_, value)| collect_texts(value, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The artifacts and waits that an event names.
pub(super) fn named(event: &Event) -> (Vec<Digest>, Vec<WaitId>) {
    let of = |payload: &Payload| payload.artifact().map(|artifact| artifact.digest);
    match &event.kind {
        EventKind::ActionEnded(ended) => {
            let more = ended.artifacts.iter().map(|artifact| artifact.digest);
            (of(&ended.result).into_iter().chain(more).collect(), Vec::new())
        }
        EventKind::AttemptEnded(ended) => match &ended.outcome {
            Outcome::Completed { result, .. } | Outcome::Failed { result, .. } => {
                (of(result).into_iter().collect(), Vec::new())
            }
            Outcome::Proposed { change_set } => (vec![change_set.artifact.digest], Vec::new()),
            _ => (Vec::new(), Vec::new()),
        },
        EventKind::ActionNoted(noted) => match &noted.note {
            Note::Output { artifact } => (vec![artifact.digest], Vec::new()),
            _ => (Vec::new(), Vec::new()),
        },
        EventKind::HistoryCompacted(compacted) => {
            (compacted.archive.iter().map(|archive| archive.digest).collect(), Vec::new())
        }
        EventKind::RunEnded(ended) => {
            let output = ended.output.as_ref().and_then(of);
            (of(&ended.text).into_iter().chain(output).collect(), Vec::new())
        }
        EventKind::WaitOpened(opened) => (of(&opened.ask).into_iter().collect(), vec![opened.wait.clone()]),
        EventKind::WaitSettled(settled) => (Vec::new(), vec![settled.wait.clone()]),
        _ => (Vec::new(), Vec::new()),
    }
}
