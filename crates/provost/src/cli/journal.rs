//! A run as its journal has it: read, proven, folded.

use provost_runtime::RunId;
use provost_runtime::engine::{Chain, Event, RunState, decode};
use provost_runtime::port::{Record, Seq, Stores};

use super::failure::{Code, Failure};

const PAGE: usize = 1_024;

/// Everything the journal of a run says.
pub(super) struct Read {
    pub(super) records: Vec<Record>,
    pub(super) events: Vec<Event>,
    pub(super) state: RunState,
}

/// Reads and proves the journal of a run.
pub(super) async fn read(stores: &Stores, run: &RunId) -> Result<Read, Failure> {
    let records = records(stores, run).await?;
    Chain::start(run).verify(run, &records).map_err(|error| Failure::of(Code::Journal, &error))?;
    let events: Result<Vec<Event>, _> = records.iter().map(decode).collect();
    let events = events.map_err(|error| Failure::of(Code::Journal, &error))?;
    let headless = || Failure::new(Code::UnknownRun, format!("there is no run {run}"));
    let state = RunState::fold(&events).ok_or_else(headless)?;
    Ok(Read { records, events, state })
}

/// The records of a run, as they are kept.
pub(super) async fn records(stores: &Stores, run: &RunId) -> Result<Vec<Record>, Failure> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let from = records.last().map_or(Seq::FIRST, |record| record.seq.next());
        let page = stores.journal.read(run, from, PAGE).await.map_err(|fault| Failure::storage(&fault))?;
        let is_last = page.len() < PAGE;
        records.extend(page);
        if is_last {
            return Ok(records);
        }
    }
}
