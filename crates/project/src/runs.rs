//! Finding stored runs, and the processes that work on them.

use provost_contract::timestamp;
use provost_engine::RunId;
use provost_runtime::process::is_gone;
use provost_runtime::store::{ListedRun, RunFilter, RunRow, Store};

use crate::failure::{Code, Failure};

/// Returns a run by its id, or the newest one for `last`.
pub async fn find(store: &dyn Store, word: &str) -> Result<ListedRun, Failure> {
    let storage = |fault| Failure::storage(&fault);
    if word == "last" {
        let page = store.runs(RunFilter::default(), None, 1).await.map_err(storage)?;
        let none = || Failure::new(Code::UnknownRun, "there are no runs yet");
        return page.items.into_iter().next().ok_or_else(|| none().hint("start one with provost run"));
    }
    let unknown = || {
        Failure::new(Code::UnknownRun, format!("there is no run `{word}`"))
            .hint("provost runs lists them; `last` is the newest")
    };
    let run: RunId = word.parse().map_err(|_| unknown())?;
    if let Some(listed) = store.run(run.clone()).await.map_err(storage)? {
        return Ok(listed);
    }
    let pruned = store.pruned().await.map_err(storage)?.into_iter().find(|pruned| pruned.run == run);
    Err(pruned.map_or_else(unknown, |pruned| {
        let at = timestamp::date_time(pruned.at.0.div_euclid(1_000));
        let message = format!("{run} was pruned at {at} UTC; its last record was {}", pruned.head);
        Failure::new(Code::UnknownRun, message).hint("a backup from before may have it")
    }))
}

/// Returns whether a live process works on a run. A process on another machine counts as live while its lease
/// lasts.
pub async fn is_worked_on(store: &dyn Store, row: &RunRow) -> Result<bool, Failure> {
    let Some(owner) = row.owner.clone() else { return Ok(false) };
    let worker = store.worker(owner).await.map_err(|fault| Failure::storage(&fault))?;
    Ok(worker.is_some_and(|worker| !worker.dead && !is_gone(&worker.about)))
}

/// Returns whether a run is active but no process works on it: `provost resume` continues it.
pub async fn is_left(store: &dyn Store, row: &RunRow) -> Result<bool, Failure> {
    let at_work = row.ended.is_none() && row.status != "waiting";
    Ok(at_work && !is_worked_on(store, row).await?)
}
