//! Sessions: who holds one, what is written into it, and runs that are taken up again.

use provost_engine::{RunId, SessionEntry, SessionId, SignalPost, Time};

use super::{Tables, accept, doors, wake};
use crate::port::Fault;
use crate::store::{
    Entry, EntrySource, Fork, Imported, NewSession, PostError, Posted, ResumeError, RunRow, Said, SayError,
    SayPost, SessionError, SessionRow,
};

/// Statuses of runs that are over for good.
const FINAL: [&str; 2] = ["completed", "cancelled"];

/// Gives a free session to a run and appends the entries it brings.
pub(super) fn take(
    tables: &mut dyn Tables,
    now: Time,
    session: &mut SessionRow,
    row: &mut RunRow,
    entries: &[SessionEntry],
) -> Result<(), Fault> {
    row.session_from = Some(session.head);
    session.active_run = Some(row.run.clone());
    session.version += 1;
    session.updated = now;
    append_events(tables, session, &row.run, entries)
}

/// Appends pointers to events of a run.
pub(super) fn append_events(
    tables: &mut dyn Tables,
    session: &mut SessionRow,
    run: &RunId,
    entries: &[SessionEntry],
) -> Result<(), Fault> {
    for entry in entries {
        session.head += 1;
        let source = EntrySource::Event { run: run.clone(), seq: entry.seq };
        let entry = Entry { no: session.head, kind: entry.kind.clone(), source };
        tables.insert_entry(&session.about.session, &entry)?;
    }
    Ok(())
}

/// Frees a session and gives it to the first queued run.
pub(super) fn release(tables: &mut dyn Tables, now: Time, session: &mut SessionRow) -> Result<(), Fault> {
    session.active_run = None;
    while let Some(start) = tables.first_start(&session.about.session)? {
        tables.remove_start(&session.about.session, start.no)?;
        let Some(row) = tables.run(&start.run)?.filter(|row| row.ended.is_none()) else { continue };
        let mut after = row.clone();
        after.awaits_session = false;
        take(tables, now, session, &mut after, &start.entries)?;
        // A signal that came meanwhile is read at once; otherwise the run's own time counts.
        if after.inbox > after.taken {
            wake(&mut after, now);
        } else {
            accept::begin_waiting(&mut after, now);
        }
        return tables.update_run(&row, &after, None);
    }
    Ok(())
}

/// See [`Store::resume`](crate::store::Store::resume).
///
/// # Errors
/// Nothing was written.
pub fn resume(tables: &mut dyn Tables, now: Time, post: &SignalPost) -> Result<Posted, ResumeError> {
    if let Some(id) = doors::posted_before(tables, post)? {
        return Ok(Posted { id, existing: true });
    }
    let row = tables.run(&post.run)?.ok_or_else(|| ResumeError::UnknownRun(post.run.clone()))?;
    if row.ended.is_none() {
        return Err(ResumeError::NotEnded);
    }
    if FINAL.contains(&row.status.as_str()) {
        return Err(ResumeError::NotResumable { status: row.status });
    }
    if let Some(parent) = row.parent {
        return Err(ResumeError::HasParent { parent });
    }
    let session = row.session.as_ref().map(|id| last_session_of(tables, id, &row.run)).transpose()?;
    let mut after = row.clone();
    (after.ended, after.claims) = (None, 0);
    if let Some(mut session) = session {
        // The run goes on where it was, so what it may read of the session stays.
        session.active_run = Some(row.run.clone());
        session.version += 1;
        session.updated = now;
        tables.update_session(&session)?;
    }
    tables.update_run(&row, &after, None)?;
    Ok(Posted { id: doors::push(tables, now, &after, post)?, existing: false })
}

/// Returns a free session whose last entry is the run's.
fn last_session_of(tables: &dyn Tables, id: &SessionId, run: &RunId) -> Result<SessionRow, ResumeError> {
    let moved = || ResumeError::SessionMoved(id.clone());
    let session = tables.session(id)?.ok_or_else(moved)?;
    if let Some(active) = session.active_run {
        return Err(ResumeError::SessionBusy { active });
    }
    match tables.entry(id, session.head)?.map(|entry| entry.source) {
        Some(EntrySource::Event { run: last, .. }) if last == *run => Ok(session),
        Some(_) | None => Err(moved()),
    }
}

/// See [`Store::say`](crate::store::Store::say).
///
/// # Errors
/// Nothing was written.
pub fn say(tables: &mut dyn Tables, now: Time, say: &SayPost) -> Result<Said, SayError> {
    let missing = || SayError::Missing(say.session.clone());
    let session = tables.session(&say.session)?.ok_or_else(missing)?;
    let idle = Said::Idle { version: session.version, head: session.head };
    let workspace = &session.about.workspace;
    if let Some(dedupe) = &say.dedupe
        && let Some((run, request)) = tables.request(workspace, &dedupe.key)?
    {
        let equal = request == dedupe.request;
        return if equal { Ok(Said::Repeated { run }) } else { Err(SayError::DedupeConflict { run }) };
    }
    let Some(run) = session.active_run else { return Ok(idle) };
    let key = say.dedupe.as_ref().map(|dedupe| dedupe.key.clone());
    let post = SignalPost { run: run.clone(), key, from: say.from.clone(), body: say.body.clone() };
    match doors::post(tables, now, &post) {
        Ok(posted) => {
            if let Some(dedupe) = &say.dedupe {
                tables.insert_request(workspace, dedupe, &run, now)?;
            }
            Ok(Said::Posted { run, posted })
        }
        Err(PostError::QueueFull { waiting }) => Err(SayError::QueueFull { waiting }),
        Err(PostError::Storage(fault)) => Err(fault.into()),
        // A run that is over holds no session; a row that says otherwise frees nothing by a message.
        Err(PostError::UnknownRun(_) | PostError::RunEnded { .. }) => Ok(idle),
    }
}

/// See [`Store::create_session`](crate::store::Store::create_session).
///
/// # Errors
/// Nothing was written.
pub fn create_session(
    tables: &mut dyn Tables,
    now: Time,
    new: &NewSession,
) -> Result<SessionRow, SessionError> {
    if tables.session(&new.session)?.is_some() {
        return Err(SessionError::Exists(new.session.clone()));
    }
    let row = SessionRow {
        about: new.clone(),
        provider_response_id: None,
        active_run: None,
        version: 0,
        head: 0,
        created: now,
        updated: now,
        forked_from: None,
    };
    tables.insert_session(&row)?;
    Ok(row)
}

/// See [`Store::rename_session`](crate::store::Store::rename_session).
///
/// # Errors
/// Nothing was written.
pub fn rename_session(
    tables: &mut dyn Tables,
    now: Time,
    session: &SessionId,
    title: Option<&str>,
) -> Result<(), SessionError> {
    // The version stays: a title changes nothing that a start relies on.
    let mut row = tables.session(session)?.ok_or_else(|| SessionError::Missing(session.clone()))?;
    row.about.title = title.map(str::to_owned);
    row.updated = now;
    Ok(tables.update_session(&row)?)
}

/// See [`Store::fork_session`](crate::store::Store::fork_session).
///
/// # Errors
/// Nothing was written.
pub fn fork_session(
    tables: &mut dyn Tables,
    now: Time,
    session: &SessionId,
    upto: u64,
    new: &NewSession,
) -> Result<SessionRow, SessionError> {
    let from = tables.session(session)?.ok_or_else(|| SessionError::Missing(session.clone()))?;
    if upto > from.head {
        return Err(SessionError::NoEntry { head: from.head });
    }
    let mut row = create_session(tables, now, new)?;
    row.head = upto;
    row.forked_from = Some(Fork { session: session.clone(), upto });
    tables.copy_entries(session, &new.session, upto)?;
    tables.update_session(&row)?;
    Ok(row)
}

/// See [`Store::append_session`](crate::store::Store::append_session).
///
/// # Errors
/// Nothing was written.
pub fn append_session(
    tables: &mut dyn Tables,
    now: Time,
    session: &SessionId,
    version: u64,
    entries: &[Imported],
) -> Result<u64, SessionError> {
    let mut row = tables.session(session)?.ok_or_else(|| SessionError::Missing(session.clone()))?;
    if let Some(active) = row.active_run {
        return Err(SessionError::Busy { active });
    }
    if row.version != version {
        return Err(SessionError::Changed { version: row.version });
    }
    for entry in entries {
        row.head += 1;
        let source = EntrySource::Body(entry.body.clone());
        tables.insert_entry(session, &Entry { no: row.head, kind: entry.kind.clone(), source })?;
    }
    row.version += 1;
    row.updated = now;
    tables.update_session(&row)?;
    Ok(row.version)
}
