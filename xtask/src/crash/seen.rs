//! What a finished run shows, read back from what is stored.

use provost_contract::approval::PendingActionStatus;
use provost_runtime::driver::{Finished, run_row};
use provost_runtime::engine::project::conversation_result;
use provost_runtime::engine::{Chain, Event, RunState, decode};
use provost_runtime::port::{ApprovalFilter, PendingRequests, RunRow, Seq, Stores};
use serde_json::{Value, json};

use super::ledger::Entry;
use super::session;
use super::world::World;
use crate::Failure;
use crate::conformance;

/// Everything two plays of one scenario are compared by.
pub(super) struct Seen {
    pub(super) status: &'static str,
    pub(super) result: Value,
    pub(super) row: Value,
    /// What the session keeps.
    pub(super) transcript: Value,
    /// What people said to remember, and when.
    pub(super) remembered: Value,
    /// Which effects took place under which keys, sorted.
    pub(super) effects: Vec<(String, String)>,
    /// How often the model was asked.
    pub(super) asked: usize,
}

impl Seen {
    /// Reads what is stored, and checks that it is what the run's own process showed.
    pub(super) async fn of(world: &World, finished: &Finished) -> Result<Self, Failure> {
        let stores = world.disk.open()?;
        let state = folded(world, &stores).await?;
        same("folded from scratch, the result", &conversation_result(&state)?, finished.result()?)?;
        let row = stores.runs.get(&world.run).await?.ok_or("the run has no row")?;
        let projected = run_row(&world.run, &state, state.head, row.updated_at_ms);
        if row != projected {
            return Err(format!("the row is {row:?}, folded from scratch {projected:?}").into());
        }
        nobody_is_asked(&stores).await?;
        let entries = world.ledger.entries();
        Ok(Self {
            status: finished.status.into(),
            result: finished.result()?.clone(),
            row: timeless(&row),
            transcript: transcript(world, &stores).await?,
            remembered: remembered(&stores).await?,
            effects: effects(&entries),
            asked: entries.iter().filter(|entry| matches!(entry, Entry::Asked { .. })).count(),
        })
    }
}

/// Folds the journal from its first record, once its chain is verified.
async fn folded(world: &World, stores: &Stores) -> Result<RunState, Failure> {
    let records = stores.journal.read(&world.run, Seq::FIRST, usize::MAX).await?;
    Chain::start(&world.run).verify(&world.run, &records)?;
    let events: Vec<Event> = records.iter().map(decode).collect::<Result<_, _>>()?;
    RunState::fold(&events).ok_or_else(|| "the journal does not begin with a start".into())
}

/// A run that is over waits for nobody.
async fn nobody_is_asked(stores: &Stores) -> Result<(), Failure> {
    let waiting = ApprovalFilter { status: Some(PendingActionStatus::Pending), ..ApprovalFilter::default() };
    let questions = stores.approvals.list(&waiting).await?.len();
    let requests = stores.client_tool_requests.pending(&PendingRequests::default()).await?.len();
    match questions + requests {
        0 => Ok(()),
        open => Err(format!("the run is over, and {open} questions still wait for an answer").into()),
    }
}

fn same(what: &str, expected: &Value, actual: &Value) -> Result<(), Failure> {
    match conformance::between(expected, actual).as_slice() {
        [] => Ok(()),
        found => Err(format!("{what} differs: {}", found.join("; ")).into()),
    }
}

/// A row as it is, whenever it was written.
fn timeless(row: &RunRow) -> Value {
    json!({
        "workspace": row.workspace,
        "agent": row.agent,
        "session": row.session,
        "status": row.status,
        "summary": row.summary,
        "waits": row.wake_at_ms.is_some(),
    })
}

async fn remembered(stores: &Stores) -> Result<Value, Failure> {
    let words = stores.memory.remembered().await?;
    Ok(words
        .iter()
        .map(|word| json!({ "question": word.question.id(), "by": word.by, "run": word.run }))
        .collect())
}

async fn transcript(world: &World, stores: &Stores) -> Result<Value, Failure> {
    match session::kept(world, stores).await? {
        None => Ok(Value::Null),
        Some((messages, true)) => Ok(Value::Array(messages)),
        Some((_, false)) => Err("the run is over and still holds its session".into()),
    }
}

fn effects(entries: &[Entry]) -> Vec<(String, String)> {
    let mut effects: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Effect { tool, key } => Some((tool.clone(), key.clone())),
            Entry::Asked { .. } => None,
        })
        .collect();
    effects.sort_unstable();
    effects
}
