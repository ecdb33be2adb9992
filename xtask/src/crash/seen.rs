//! What is left when a play is over: how runs and actions ended, the effects, and what contradicts itself.

use std::collections::BTreeMap;

use provost_engine::event::{ActionEnd, EndedBy, Event, EventKind};
use provost_engine::{RunId, Seq};
use provost_runtime::store::{RunFilter, RunRow};
use serde_json::Value;

use super::journal;
use super::world::World;
use crate::Failure;

/// How an action ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct End {
    pub(super) operation: String,
    pub(super) status: ActionEnd,
    pub(super) by: EndedBy,
    pub(super) result: Value,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunSeen {
    pub(super) status: String,
    /// By action, in the order of declaration.
    pub(super) actions: BTreeMap<String, End>,
}

/// What is left of a play.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) runs: BTreeMap<String, RunSeen>,
    pub(super) effects: Vec<(String, String)>,
    /// How often the model was asked, by run.
    pub(super) asked: BTreeMap<String, usize>,
    /// What must never be so.
    pub(super) problems: Vec<String>,
}

impl Seen {
    pub(super) async fn of(world: &World) -> Result<Self, Failure> {
        let mut seen =
            Self { effects: world.ledger.effects(), asked: world.ledger.asked(), ..Self::default() };
        for problem in world.store.verify_rows().await? {
            seen.problems.push(format!("row of {}: {:?}", problem.run, problem.problem));
        }
        if let Some(call) = world.ledger.called_twice() {
            seen.problems.push(format!("an attempt was carried out twice: {call:?}"));
        }
        let mut journals: BTreeMap<RunId, Vec<Event>> = BTreeMap::new();
        for run in world.store.runs(RunFilter::default(), None, 1_000).await?.items {
            match journal::read(world, &run.row).await {
                Ok(events) => {
                    seen.problems.extend(journal::problems(world, &run.row, &events).await?);
                    seen.runs.insert(name(&run.row), run_seen(&run.row, &events));
                    journals.insert(run.row.run.clone(), events);
                }
                Err(error) => seen.problems.push(format!("journal of {}: {error}", run.row.run)),
            }
        }
        seen.problems.extend(journal::session_problems(world, &journals).await?);
        let mut hashes: BTreeMap<RunId, Vec<(Seq, provost_engine::Digest)>> = BTreeMap::new();
        for (run, seq, hash) in world.all_acknowledged() {
            if !hashes.contains_key(&run) {
                let records = world.store.journal(run.clone(), Seq(0), 100_000).await?;
                hashes.insert(run.clone(), records.iter().map(|record| (record.seq, record.hash)).collect());
            }
            if !hashes.get(&run).is_some_and(|stored| stored.contains(&(seq, hash))) {
                seen.problems.push(format!("record {seq} of {run} was acknowledged and is not there"));
            }
        }
        Ok(seen)
    }
}

fn name(row: &RunRow) -> String {
    row.run.as_str().to_owned()
}

fn run_seen(row: &RunRow, events: &[Event]) -> RunSeen {
    let mut seen = RunSeen { status: row.status.clone(), ..RunSeen::default() };
    let mut operations = BTreeMap::new();
    for event in events {
        match &event.kind {
            EventKind::DeclarationAccepted(accepted) => {
                operations.extend(accepted.add.iter().map(|spec| (spec.id, spec.operation.clone())));
            }
            EventKind::ActionEnded(ended) => {
                let operation = operations.get(&ended.action).cloned().unwrap_or_default();
                let (status, by, result) = (ended.status, ended.by, ended.result.shown().clone());
                seen.actions.insert(ended.action.to_string(), End { operation, status, by, result });
            }
            _ => {}
        }
    }
    seen
}
