//! One step of a run: all checks, then all writes.

use std::collections::BTreeSet;

use provost_engine::{Commit, NewRun, Release, RowChange, SessionWrite, StandingChange, Time};

use super::accept::{self, Admission};
use super::{Tables, doors, sessions};
use crate::port::Fault;
use crate::store::{CommitError, Committed, RunRow, SessionRefusal, SessionRow, Settled, Wait};

/// Records that do not show that a run gets on: a crash loop writes only these.
const WITHOUT_PROGRESS: [&str; 5] =
    ["run_claimed", "model_requested", "action_started", "attempt_ended", "model_failed"];

/// See [`Store::commit`](crate::store::Store::commit).
///
/// # Errors
/// Nothing was written.
pub fn commit(tables: &mut dyn Tables, now: Time, commit: &Commit) -> Result<Committed, CommitError> {
    let (row, repeated) = fence(tables, commit)?;
    let head = commit.expected.plus(commit.records.len());
    if repeated {
        return Ok(Committed { head, already: true });
    }
    let checked = check(tables, commit, &row)?;
    write(tables, now, commit, &row, checked)?;
    Ok(Committed { head, already: false })
}

/// What the checks found and the writes need.
struct Checked {
    settled: Vec<Wait>,
    children: Vec<Admission>,
    session: Option<SessionRow>,
}

/// Checks that the writer holds the run and knows its journal. Returns whether the commit was written before.
fn fence(tables: &dyn Tables, commit: &Commit) -> Result<(RunRow, bool), CommitError> {
    well_formed(commit).map_err(CommitError::Invalid)?;
    let row = tables.run(&commit.run)?.ok_or_else(|| CommitError::UnknownRun(commit.run.clone()))?;
    if row.epoch != commit.epoch {
        return Err(CommitError::Fenced { current: row.epoch });
    }
    if row.head != commit.expected {
        let last = commit.records.last().map(|record| record.hash);
        let head = commit.expected.plus(commit.records.len());
        let repeated = row.head >= head && tables.record_hash(&commit.run, head)? == last;
        return if repeated { Ok((row, true)) } else { Err(CommitError::Conflict { head: row.head }) };
    }
    // The epoch stays when a commit lets go of the run, so it alone does not prove that the writer holds it.
    if row.owner.is_none() {
        return Err(CommitError::Fenced { current: row.epoch });
    }
    Ok((row, false))
}

fn well_formed(commit: &Commit) -> Result<(), &'static str> {
    if commit.records.is_empty() {
        return Err("it has no record");
    }
    let mut positions = commit.records.iter().zip(1..);
    if !positions.all(|(record, offset)| record.seq == commit.expected.plus(offset)) {
        return Err("its records do not follow the expected head");
    }
    if commit.records.iter().any(|record| record.epoch != commit.epoch) {
        return Err("a record has another epoch");
    }
    let opened: BTreeSet<_> = commit.waits_opened.iter().map(|wait| &wait.wait).collect();
    let settled: BTreeSet<_> = commit.waits_settled.iter().map(|wait| &wait.wait).collect();
    if opened.len() != commit.waits_opened.len() || settled.len() != commit.waits_settled.len() {
        return Err("a wait is opened or settled twice");
    }
    if opened.iter().chain(&settled).any(|wait| wait.run != commit.run) {
        return Err("a wait belongs to another run");
    }
    let children: BTreeSet<_> = commit.runs_accepted.iter().map(|child| &child.run).collect();
    if children.len() != commit.runs_accepted.len() || children.contains(&commit.run) {
        return Err("a child is accepted twice");
    }
    let plain = |child: &NewRun| child.session.is_none() && child.dedupe.is_none() && child.parent.is_some();
    if !commit.runs_accepted.iter().all(plain) {
        return Err("a child has no parent, or takes a session or a key");
    }
    let head = commit.expected.plus(commit.records.len());
    let mut entries = commit.session.iter().flat_map(|write| &write.entries);
    if entries.any(|entry| entry.seq.0 == 0 || entry.seq > head) {
        return Err("a session entry names a record that the run does not have");
    }
    Ok(())
}

/// Checks everything that depends on other rows.
fn check(tables: &dyn Tables, commit: &Commit, row: &RunRow) -> Result<Checked, CommitError> {
    for digest in &commit.artifacts {
        if !tables.has_artifact(digest)? {
            return Err(CommitError::MissingArtifact(*digest));
        }
    }
    let taken = commit.signals_taken.unwrap_or(row.taken);
    if taken < row.taken || taken > row.inbox {
        return Err(CommitError::Invalid("it takes signals that are not in the queue"));
    }
    let children = commit.runs_accepted.iter().map(|child| {
        accept::check(tables, child)
            .map_err(|source| CommitError::Child { run: child.run.clone(), source: Box::new(source) })
    });
    let children = children.collect::<Result<_, _>>()?;
    let settled = check_waits(tables, commit)?;
    let session = commit.session.as_ref().map(|write| held_session(tables, row, write)).transpose()?;
    let ends = commit.row.as_ref().is_some_and(|row| row.ended);
    if ends && row.inbox > taken {
        return Err(CommitError::SignalsPending { waiting: row.inbox.0 - taken.0 });
    }
    Ok(Checked { settled, children, session })
}

/// Returns the stored waits that the commit settles, except those that it opens itself.
fn check_waits(tables: &dyn Tables, commit: &Commit) -> Result<Vec<Wait>, CommitError> {
    for opened in &commit.waits_opened {
        if tables.wait(&opened.wait)?.is_some() {
            return Err(CommitError::Wait(opened.wait.clone()));
        }
    }
    let mut settled = Vec::with_capacity(commit.waits_settled.len());
    for settlement in &commit.waits_settled {
        if commit.waits_opened.iter().any(|opened| opened.wait == settlement.wait) {
            continue;
        }
        let wait = tables.wait(&settlement.wait)?.filter(|wait| wait.settled.is_none());
        settled.push(wait.ok_or_else(|| CommitError::Wait(settlement.wait.clone()))?);
    }
    Ok(settled)
}

fn held_session(tables: &dyn Tables, row: &RunRow, write: &SessionWrite) -> Result<SessionRow, CommitError> {
    let refuse = |refusal| Err(CommitError::Session(refusal));
    let Some(session) = tables.session(&write.session)? else {
        return refuse(SessionRefusal::Missing(write.session.clone()));
    };
    if session.active_run.as_ref() == Some(&row.run) {
        return Ok(session);
    }
    refuse(SessionRefusal::NotHeld { session: write.session.clone(), active: session.active_run })
}

/// Writes a checked commit.
fn write(
    tables: &mut dyn Tables,
    now: Time,
    commit: &Commit,
    row: &RunRow,
    checked: Checked,
) -> Result<(), Fault> {
    tables.append_records(&commit.run, &commit.records)?;
    tables.use_artifacts(&commit.run, &commit.artifacts)?;
    write_waits(tables, now, commit, checked.settled)?;
    for (child, admission) in commit.runs_accepted.iter().zip(checked.children) {
        if !matches!(admission, Admission::Existing(_)) {
            accept::insert(tables, now, child, admission)?;
        }
    }
    let after = next_row(now, commit, row);
    if after.taken > row.taken {
        tables.drop_bodies(&commit.run, row.taken, after.taken)?;
    }
    tables.update_run(row, &after, commit.row.as_ref().map(|change| &change.summary))?;
    write_standing(tables, now, commit)?;
    for (action, bytes) in &commit.sealed_put {
        tables.seal(&commit.run, *action, bytes)?;
    }
    for action in &commit.sealed_delete {
        tables.unseal(&commit.run, *action)?;
    }
    if after.ended.is_some() {
        tables.unseal_all(&commit.run)?;
    }
    write_session(tables, now, commit, &after, checked.session)?;
    for post in &commit.signals_posted {
        doors::deliver(tables, now, post)?;
    }
    for answer in &commit.answers {
        doors::deliver_answer(tables, now, answer)?;
    }
    Ok(())
}

/// Returns the row after the commit. Whether the run is ready follows from its own queue: a signal that came
/// since the writer looked leaves it ready.
fn next_row(now: Time, commit: &Commit, before: &RunRow) -> RunRow {
    let mut row = before.clone();
    row.head = commit.expected.plus(commit.records.len());
    row.head_hash = commit.records.last().map_or(row.head_hash, |record| record.hash);
    row.updated = now;
    row.taken = commit.signals_taken.unwrap_or(row.taken);
    if commit.records.iter().any(|record| !WITHOUT_PROGRESS.contains(&record.kind.as_ref())) {
        row.claims = 0;
    }
    let Some(change) = &commit.row else { return row };
    let RowChange { status, due, release, ended, summary: _ } = change;
    row.status.clone_from(status);
    row.due = *due;
    if *ended {
        (row.ended, row.owner, row.due) = (Some(now), None, None);
        return row;
    }
    match release {
        Release::Keep => {}
        Release::Rest => {
            row.owner = None;
            if row.inbox > row.taken {
                super::wake(&mut row, now);
            }
        }
        Release::Ready => {
            row.owner = None;
            super::wake(&mut row, now);
        }
    }
    row
}

fn write_waits(tables: &mut dyn Tables, now: Time, commit: &Commit, settled: Vec<Wait>) -> Result<(), Fault> {
    let settlement = |wait: &Wait| {
        let settlement = commit.waits_settled.iter().find(|settlement| settlement.wait == wait.row.wait)?;
        Some(Settled { how: settlement.how.clone(), by: settlement.by.clone(), at: now })
    };
    for opened in &commit.waits_opened {
        let mut wait = Wait { row: opened.clone(), opened: now, answered: None, settled: None };
        wait.settled = settlement(&wait);
        tables.insert_wait(&wait)?;
    }
    for mut wait in settled {
        wait.settled = settlement(&wait);
        tables.update_wait(&wait)?;
    }
    Ok(())
}

fn write_standing(tables: &mut dyn Tables, now: Time, commit: &Commit) -> Result<(), Fault> {
    for change in &commit.standing {
        match change {
            StandingChange::Grant { workspace, approval } => tables.grant(workspace, approval)?,
            StandingChange::Revoke { workspace, scope } => tables.revoke(workspace, scope, now).map(drop)?,
        }
    }
    Ok(())
}

/// Appends the commit's entries; a run that ends leaves its session even if the commit does not say so.
fn write_session(
    tables: &mut dyn Tables,
    now: Time,
    commit: &Commit,
    row: &RunRow,
    checked: Option<SessionRow>,
) -> Result<(), Fault> {
    let ended = row.ended.is_some();
    let session = match (checked, &row.session) {
        (Some(session), _) => Some(session),
        (None, Some(id)) if ended => {
            tables.session(id)?.filter(|session| session.active_run.as_ref() == Some(&row.run))
        }
        (None, _) => None,
    };
    let Some(mut session) = session else { return Ok(()) };
    let mut release = ended;
    if let Some(write) = &commit.session {
        sessions::append_events(tables, &mut session, &commit.run, &write.entries)?;
        release |= write.release;
        if let Some(id) = &write.provider_response_id {
            session.provider_response_id.clone_from(id);
        }
    }
    session.version += 1;
    session.updated = now;
    if release {
        sessions::release(tables, now, &mut session)?;
    }
    tables.update_session(&session)
}
