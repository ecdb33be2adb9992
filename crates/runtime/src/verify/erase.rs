//! Erasing the words of an event: everything that repeats them goes too, and the chain still verifies.

use provost_engine::event::{Event, EventKind, Note, Outcome};
use provost_engine::{Actor, Digest, Erasure, Payload, RunId, Seq, Time, WaitId};

use crate::port::Fault;
use crate::store::{Erase, EraseError, Store};

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

/// Erases the words of a record, the artifacts that only they name, and the wait that repeats them. The facts, the
/// hashes and the chain stay.
///
/// # Errors
/// If there is no such record, or the store fails.
pub async fn erase_words(
    store: &dyn Store,
    run: &RunId,
    seq: Seq,
    (by, at, reason): (Actor, Time, String),
) -> Result<(), EraseFailure> {
    let records = store.journal(run.clone(), Seq(seq.0.saturating_sub(1)), 1).await?;
    let missing = || EraseFailure::Missing { run: run.clone(), seq };
    let record = records.first().filter(|record| record.seq == seq).ok_or_else(missing)?;
    let event = Event::from_record(record).ok();
    let (artifacts, waits) = event.as_ref().map(named).unwrap_or_default();
    let erasure = Erasure { by, at, reason };
    let erase = Erase { run: run.clone(), seq, erasure, artifacts, waits, summary: None };
    Ok(store.erase(erase).await?)
}

/// The artifacts and waits that an event names.
fn named(event: &Event) -> (Vec<Digest>, Vec<WaitId>) {
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
