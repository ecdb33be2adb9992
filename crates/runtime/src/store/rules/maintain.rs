//! Erasing and pruning.

use provost_engine::Time;
use serde_json::Value;

use super::Tables;
use crate::port::Fault;
use crate::store::{Erase, EraseError, Prune, PruneFilter, Pruned};

/// See [`Store::erase`](crate::store::Store::erase).
///
/// # Errors
/// Nothing was written.
pub fn erase(tables: &mut dyn Tables, erase: &Erase) -> Result<(), EraseError> {
    let unknown = || EraseError::UnknownRecord { run: erase.run.clone(), seq: erase.seq };
    let row = tables.run(&erase.run)?.ok_or_else(unknown)?;
    tables.record_hash(&erase.run, erase.seq)?.ok_or_else(unknown)?;
    tables.erase_words(&erase.run, erase.seq, &erase.erasure)?;
    for digest in &erase.artifacts {
        tables.drop_artifact(&erase.run, digest)?;
    }
    for wait in erase.waits.iter().filter(|wait| wait.run == erase.run) {
        let Some(mut wait) = tables.wait(wait)? else { continue };
        wait.row.ask = Value::Null;
        if let Some(given) = &mut wait.answered {
            given.answer = None;
        }
        tables.update_wait(&wait)?;
        // An answer that was remembered has its reason there too.
        tables.drop_reasons(&erase.run)?;
    }
    if let Some(summary) = &erase.summary {
        tables.update_run(&row, &row, Some(summary))?;
    }
    Ok(())
}

/// See [`Store::prune`](crate::store::Store::prune).
///
/// # Errors
/// The storage failed.
pub fn prune(tables: &mut dyn Tables, now: Time, filter: &PruneFilter) -> Result<Prune, Fault> {
    let sessions = if filter.sessions { tables.stale_sessions(filter)? } else { Vec::new() };
    let mut done = Prune { sessions: sessions.len(), ..Prune::default() };
    for run in tables.stale_runs(filter, &sessions)? {
        let Some(row) = tables.run(&run)? else { continue };
        done.runs.push(Pruned { run, head: row.head, hash: row.head_hash, at: now });
    }
    if filter.preview {
        return Ok(done);
    }
    for session in &sessions {
        tables.delete_session(session)?;
    }
    for pruned in &done.runs {
        tables.delete_run(pruned)?;
    }
    done.artifacts = tables.delete_unused_artifacts(filter.before)?;
    tables.delete_dead_workers(filter.before)?;
    Ok(done)
}
