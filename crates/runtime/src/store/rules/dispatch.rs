//! Workers, their leases, and which of them holds which run.

use std::collections::VecDeque;

use provost_engine::{RunId, Time, WorkerId};

use super::{Tables, free};
use crate::port::Fault;
use crate::store::{About, Beat, ClaimError, ClaimFilter, Claimed, RegisterError, Worker};

/// How many runs one burial frees at a time, so that it does not hold the write lock for long.
pub const RUNS_FREED_MAX: usize = 1_000;
/// How many workers one burial takes.
const WORKERS_BURIED_MAX: usize = 64;

/// See [`Store::register`](crate::store::Store::register).
///
/// # Errors
/// Nothing was written.
pub fn register(
    tables: &mut dyn Tables,
    now: Time,
    worker: &WorkerId,
    about: &About,
    ttl_ms: u64,
) -> Result<Time, RegisterError> {
    if tables.worker(worker)?.is_some() {
        return Err(RegisterError::Exists(worker.clone()));
    }
    let until = now.plus_ms(ttl_ms);
    tables.insert_worker(&Worker {
        worker: worker.clone(),
        started: now,
        beat: 0,
        until,
        dead: false,
        about: about.clone(),
    })?;
    Ok(until)
}

/// See [`Store::beat`](crate::store::Store::beat). A lease that is over can be renewed as long as no burial
/// came first: a worker is renewed or buried, never both.
///
/// # Errors
/// The storage failed.
pub fn beat(tables: &mut dyn Tables, now: Time, worker: &WorkerId, ttl_ms: u64) -> Result<Beat, Fault> {
    let Some(mut row) = tables.worker(worker)?.filter(|row| !row.dead) else { return Ok(Beat::Dead) };
    row.beat += 1;
    row.until = now.plus_ms(ttl_ms);
    tables.update_worker(&row)?;
    Ok(Beat::Renewed { until: row.until })
}

/// See [`Store::bury_expired`](crate::store::Store::bury_expired).
///
/// # Errors
/// The storage failed.
pub fn bury_expired(tables: &mut dyn Tables, now: Time) -> Result<Vec<RunId>, Fault> {
    for worker in tables.workers_expired(now, WORKERS_BURIED_MAX)? {
        mark_dead(tables, &worker)?;
    }
    let mut freed = Vec::new();
    for worker in tables.workers_unfreed(WORKERS_BURIED_MAX)? {
        freed.extend(free_runs(tables, now, &worker, RUNS_FREED_MAX - freed.len())?);
    }
    Ok(freed)
}

/// See [`Store::bury`](crate::store::Store::bury).
///
/// # Errors
/// The storage failed.
pub fn bury(tables: &mut dyn Tables, now: Time, worker: &WorkerId) -> Result<Vec<RunId>, Fault> {
    mark_dead(tables, worker)?;
    free_runs(tables, now, worker, RUNS_FREED_MAX)
}

fn mark_dead(tables: &mut dyn Tables, worker: &WorkerId) -> Result<(), Fault> {
    let Some(mut row) = tables.worker(worker)?.filter(|row| !row.dead) else { return Ok(()) };
    row.dead = true;
    tables.update_worker(&row)
}

/// Frees runs of a dead worker. Each is fenced when it is freed.
fn free_runs(
    tables: &mut dyn Tables,
    now: Time,
    worker: &WorkerId,
    most: usize,
) -> Result<Vec<RunId>, Fault> {
    let runs = tables.runs_owned(worker, most)?;
    for run in &runs {
        let Some(row) = tables.run(run)? else { continue };
        let mut after = row.clone();
        free(&mut after, now);
        tables.update_run(&row, &after, None)?;
    }
    Ok(runs)
}

/// See [`Store::claim_due`](crate::store::Store::claim_due). `served` is the workspace served last; the
/// claim moves it.
///
/// # Errors
/// Nothing was written.
pub fn claim_due(
    tables: &mut dyn Tables,
    now: Time,
    worker: &WorkerId,
    filter: &ClaimFilter,
    most: usize,
    served: &mut Option<String>,
) -> Result<Vec<Claimed>, ClaimError> {
    if tables.worker(worker)?.is_none_or(|row| row.dead || row.until < now) {
        return Err(ClaimError::Dead(worker.clone()));
    }
    // Mostly there is none, and then a long filter costs nothing.
    if !tables.has_ready()? {
        return Ok(Vec::new());
    }
    let picked = pick(tables, filter, most, served.as_deref())?;
    let mut claimed = Vec::with_capacity(picked.len());
    for (workspace, run) in picked {
        let Some(row) = tables.run(&run)?.filter(|row| row.ready) else { continue };
        let mut after = row.clone();
        after.owner = Some(worker.clone());
        (after.ready, after.due) = (false, None);
        after.epoch.0 += 1;
        after.claims += 1;
        tables.update_run(&row, &after, None)?;
        claimed.push(Claimed { run, epoch: after.epoch, head: after.head, claims: after.claims });
        *served = Some(workspace);
    }
    Ok(claimed)
}

/// Picks ready runs in rounds, one of each workspace a round.
fn pick(
    tables: &dyn Tables,
    filter: &ClaimFilter,
    most: usize,
    served: Option<&str>,
) -> Result<Vec<(String, RunId)>, Fault> {
    let mut workspaces = tables.ready_workspaces(served, filter, most)?;
    if workspaces.len() < most && served.is_some() {
        let first = tables.ready_workspaces(None, filter, most - workspaces.len())?;
        workspaces.extend(first.into_iter().filter(|workspace| Some(workspace.as_str()) <= served));
    }
    let mut queues = VecDeque::new();
    for workspace in workspaces {
        let runs = tables.ready_runs(&workspace, filter, most)?;
        queues.push_back((workspace, runs.into_iter()));
    }
    let mut picked = Vec::new();
    while let Some((workspace, mut runs)) = queues.pop_front().filter(|_| picked.len() < most) {
        if let Some(run) = runs.next() {
            picked.push((workspace.clone(), run));
            queues.push_back((workspace, runs));
        }
    }
    Ok(picked)
}
