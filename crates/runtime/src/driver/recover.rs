//! Reading a run back: the records, proven, folded.

use crate::RunId;
use crate::engine::{Broken, Chain, DecodeError, Event, RunState, decode};
use crate::port::{Fault, Journal, Record, Seq};

const PAGE: usize = 1_024;

/// Why a run cannot be read back. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The storage failed.
    #[error("the journal of {run} cannot be read")]
    Storage {
        run: RunId,
        #[source]
        cause: Fault,
    },
    /// Nothing was ever written for it.
    #[error("there is no run {0}")]
    Unknown(RunId),
    /// Its journal is not what was written.
    #[error("the journal was changed after it was written")]
    Changed(#[from] Broken),
    /// A record is no event this program knows.
    #[error("the journal cannot be understood")]
    Undecodable(#[from] DecodeError),
    /// Its first record is not the start of a run.
    #[error("the journal of {0} does not begin with the start of a run")]
    Headless(RunId),
}

/// A run as its journal has it.
pub struct Recovered {
    /// Its state.
    pub state: Box<RunState>,
    /// Its newest record.
    pub last: Record,
}

/// Reads, proves and folds the journal of a run.
///
/// # Errors
/// When it cannot be read, is not what was written, or is not a run.
pub async fn recover(journal: &dyn Journal, run: &RunId) -> Result<Recovered, RecoverError> {
    let (mut chain, mut from) = (Chain::start(run), Seq::FIRST);
    let (mut state, mut last) = (None::<Box<RunState>>, None);
    loop {
        let page = journal.read(run, from, PAGE).await;
        let page = page.map_err(|cause| RecoverError::Storage { run: run.clone(), cause })?;
        chain = chain.verify(run, &page)?;
        let full = page.len() == PAGE;
        for record in &page {
            take_in(&mut state, &decode(record)?, run)?;
        }
        last = page.into_iter().next_back().or(last);
        let Some(newest) = last.as_ref().filter(|_| full) else { break };
        from = newest.seq.next();
    }
    match (state, last) {
        (Some(state), Some(last)) => Ok(Recovered { state, last }),
        (None, _) | (_, None) => Err(RecoverError::Unknown(run.clone())),
    }
}

fn take_in(state: &mut Option<Box<RunState>>, event: &Event, run: &RunId) -> Result<(), RecoverError> {
    match state {
        Some(state) => state.apply(event),
        None => {
            let begun = RunState::begin(event).ok_or_else(|| RecoverError::Headless(run.clone()))?;
            *state = Some(Box::new(begun));
        }
    }
    Ok(())
}
