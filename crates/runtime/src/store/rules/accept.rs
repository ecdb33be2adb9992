//! Accepting runs.

use provost_engine::{Digest, Epoch, NewRun, RunId, Seq, SessionEntry, SignalId, Time, WhenBusy};

use super::{Tables, sessions, wake};
use crate::port::Fault;
use crate::store::{AcceptError, Accepted, RunRow, SessionRow};

/// What the checks found.
pub(super) enum Admission {
    /// The request is a repetition.
    Existing(RunId),
    /// The run begins, in no session.
    Alone,
    /// The run begins and takes its session.
    Takes(SessionRow),
    /// The run begins and is queued behind the active run of its session.
    Queued(SessionRow),
}

/// See [`Store::accept`](crate::store::Store::accept).
///
/// # Errors
/// Nothing was written.
pub fn accept(tables: &mut dyn Tables, now: Time, new: &NewRun) -> Result<Accepted, AcceptError> {
    let admission = check(tables, new)?;
    if let Admission::Existing(run) = admission {
        return Ok(Accepted { run, existing: true });
    }
    insert(tables, now, new, admission)?;
    Ok(Accepted { run: new.run.clone(), existing: false })
}

/// Checks a new run without writing anything.
pub(super) fn check(tables: &dyn Tables, new: &NewRun) -> Result<Admission, AcceptError> {
    let first = well_formed(new).map_err(AcceptError::Invalid)?;
    if let Some(dedupe) = &new.dedupe
        && let Some((run, request)) = tables.request(&new.workspace, &dedupe.key)?
    {
        return if request == dedupe.request {
            Ok(Admission::Existing(run))
        } else {
            Err(AcceptError::DedupeConflict { run })
        };
    }
    if tables.run(&new.run)?.is_some() {
        return if tables.record_hash(&new.run, Seq(1))? == Some(first) {
            Ok(Admission::Existing(new.run.clone()))
        } else {
            Err(AcceptError::RunExists(new.run.clone()))
        };
    }
    for digest in &new.artifacts {
        if !tables.has_artifact(digest)? {
            return Err(AcceptError::MissingArtifact(*digest));
        }
    }
    let Some(take) = &new.session else { return Ok(Admission::Alone) };
    // A session of another workspace is as good as none: its existence is not revealed.
    let session = tables.session(&take.session)?.filter(|session| session.about.workspace == new.workspace);
    let session = session.ok_or_else(|| AcceptError::SessionMissing(take.session.clone()))?;
    match (&session.active_run, take.busy) {
        (Some(active), WhenBusy::Refuse) => Err(AcceptError::SessionBusy { active: active.clone() }),
        (Some(_), WhenBusy::Enqueue) => Ok(Admission::Queued(session)),
        (None, _) if session.version != take.version => {
            Err(AcceptError::SessionChanged { version: session.version })
        }
        (None, _) => Ok(Admission::Takes(session)),
    }
}

/// Returns the hash of the first record.
fn well_formed(new: &NewRun) -> Result<Digest, &'static str> {
    let first = new.records.first().ok_or("it has no record")?;
    if !new.records.iter().zip(1..).all(|(record, seq)| record.seq == Seq(seq)) {
        return Err("its records do not count from 1");
    }
    if new.parent.is_none() && new.root != new.run {
        return Err("it has no parent and another root");
    }
    let entries = new.session.iter().flat_map(|take| &take.entries);
    if entries.into_iter().any(|entry| entry.seq.0 == 0 || entry.seq.0 > new.records.len() as u64) {
        return Err("a session entry names a record that it does not have");
    }
    Ok(first.hash)
}

/// Writes a checked run.
pub(super) fn insert(
    tables: &mut dyn Tables,
    now: Time,
    new: &NewRun,
    admission: Admission,
) -> Result<(), Fault> {
    let mut row = first_row(now, new, matches!(admission, Admission::Queued(_)));
    tables.append_records(&new.run, &new.records)?;
    tables.use_artifacts(&new.run, &new.artifacts)?;
    tables.use_artifacts(&new.run, &[new.agent_digest])?;
    if let Some(dedupe) = &new.dedupe {
        tables.insert_request(&new.workspace, dedupe, &new.run, now)?;
    }
    let entries: &[SessionEntry] = new.session.as_ref().map_or(&[], |take| &take.entries);
    match admission {
        Admission::Takes(mut session) => {
            sessions::take(tables, now, &mut session, &mut row, entries)?;
            tables.update_session(&session)?;
        }
        Admission::Queued(session) => tables.insert_start(&session.about.session, &new.run, entries)?,
        Admission::Alone | Admission::Existing(_) => {}
    }
    tables.insert_run(&row, &new.summary)
}

fn first_row(now: Time, new: &NewRun, awaits_session: bool) -> RunRow {
    let last = new.records.last();
    let mut row = RunRow {
        run: new.run.clone(),
        root: new.root.clone(),
        parent: new.parent.clone(),
        workspace: new.workspace.clone(),
        agent: new.agent.clone(),
        agent_digest: new.agent_digest,
        session: new.session.as_ref().map(|take| take.session.clone()),
        session_from: None,
        awaits_session,
        queue: new.queue.clone(),
        priority: new.priority,
        not_before: new.not_before,
        status: "queued".to_owned(),
        head: last.map_or(Seq(0), |record| record.seq),
        head_hash: last.map_or(Digest::ZERO, |record| record.hash),
        epoch: Epoch(0),
        owner: None,
        ready: false,
        due: None,
        claims: 0,
        inbox: SignalId(0),
        taken: SignalId(0),
        created: now,
        updated: now,
        ended: None,
    };
    begin_waiting(&mut row, now);
    row
}

/// Makes a new run ready, or sets the time at which it becomes ready.
pub(super) fn begin_waiting(row: &mut RunRow, now: Time) {
    match row.not_before.filter(|time| *time > now) {
        Some(time) if !row.awaits_session => row.due = Some(time),
        Some(_) => {}
        None => wake(row, now),
    }
}
