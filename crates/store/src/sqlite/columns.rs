//! Values to columns and back.

use std::str::FromStr;

use provost_engine::{
    ActionId, Digest, Epoch, Record, RunId, Seq, SignalId, StandingApproval, Time, WaitRow,
};
use provost_runtime::store::{
    ArtifactInfo, Entry, EntrySource, Fork, GivenAnswer, ListedRun, NewSession, RunRow, SessionRow, Settled,
    Signal, Wait, Worker,
};
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The columns of a run, in the order of [`run`].
pub(super) const RUN: &str = "run, root, parent, workspace, agent, agent_digest, session, session_from, \
     awaits_session, queue, priority, not_before, status, head, head_hash, epoch, owner, ready, due, claims, \
     inbox, taken, created, updated, ended";
/// The columns of a record, in the order of [`record`].
pub(super) const RECORD: &str =
    "seq, at, epoch, actor, kind, version, facts, words, facts_hash, words_hash, hash, erased";
/// The columns of a wait, in the order of [`wait`].
pub(super) const WAIT: &str = "wait, root, path, workspace, kind, actions, opened, due, on_due, ask, schema, \
     binding, may_answer, supersedable, answered, answered_by, answer, settled, settled_by, how";
/// The columns of a session, in the order of [`session`].
pub(super) const SESSION: &str = "session, workspace, owner, agent, context, title, metadata, \
     provider_response_id, active_run, version, head, created, updated, forked_from, forked_upto";
/// The columns of an entry, in the order of [`entry`].
pub(super) const ENTRY: &str = "no, kind, run, seq, body";
/// The columns of a signal, in the order of [`signal`].
pub(super) const SIGNAL: &str = "no, at, sender, kind, body, key";
/// The columns of a worker, in the order of [`worker`].
pub(super) const WORKER: &str = "worker, started, beat, until, dead, about";
/// The columns of an artifact, in the order of [`artifact`].
pub(super) const ARTIFACT: &str = "digest, size, media, parts, created";

/// Returns a count as SQLite stores it.
pub(super) fn int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a limit as SQLite reads it.
pub(super) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

/// Returns a value as JSON text. Values of this program always have one.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn count(row: &Row<'_>, column: usize) -> Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| Error::IntegralValueOutOfRange(column, value))
}

/// Reads a text that has a parse of its own.
pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> Result<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn maybe_parsed<T>(row: &Row<'_>, column: usize) -> Result<Option<T>>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    if is_null(row, column)? { Ok(None) } else { parsed(row, column).map(Some) }
}

pub(super) fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    let read = serde_json::from_str(text);
    read.map_err(|error| Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn maybe_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<Option<T>> {
    if is_null(row, column)? { Ok(None) } else { from_json(row, column).map(Some) }
}

fn is_null(row: &Row<'_>, column: usize) -> Result<bool> {
    Ok(row.get_ref(column)?.data_type() == Type::Null)
}

pub(super) fn hash(row: &Row<'_>, column: usize) -> Result<Digest> {
    row.get(column).map(Digest)
}

fn time(row: &Row<'_>, column: usize) -> Result<Time> {
    row.get(column).map(Time)
}

fn maybe_time(row: &Row<'_>, column: usize) -> Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Time))
}

pub(super) fn run(row: &Row<'_>) -> Result<RunRow> {
    Ok(RunRow {
        run: parsed(row, 0)?,
        root: parsed(row, 1)?,
        parent: maybe_parsed(row, 2)?,
        workspace: row.get(3)?,
        agent: row.get(4)?,
        agent_digest: parsed(row, 5)?,
        session: maybe_parsed(row, 6)?,
        session_from: row.get::<_, Option<i64>>(7)?.map(i64::unsigned_abs),
        awaits_session: row.get(8)?,
        queue: row.get(9)?,
        priority: row.get(10)?,
        not_before: maybe_time(row, 11)?,
        status: row.get(12)?,
        head: Seq(count(row, 13)?),
        head_hash: hash(row, 14)?,
        epoch: Epoch(count(row, 15)?),
        owner: maybe_parsed(row, 16)?,
        ready: row.get(17)?,
        due: maybe_time(row, 18)?,
        claims: row.get(19)?,
        inbox: SignalId(count(row, 20)?),
        taken: SignalId(count(row, 21)?),
        created: time(row, 22)?,
        updated: time(row, 23)?,
        ended: maybe_time(row, 24)?,
    })
}

/// Reads a run whose summary is the column behind its own.
pub(super) fn listed(row: &Row<'_>) -> Result<ListedRun> {
    Ok(ListedRun { row: run(row)?, summary: from_json(row, 25)? })
}

/// Reads a record whose first column is `from`.
pub(super) fn record(row: &Row<'_>, from: usize) -> Result<Record> {
    let text = |column| -> Result<_> { Ok(row.get_ref(from + column)?.as_str()?.into()) };
    Ok(Record {
        seq: Seq(count(row, from)?),
        at: time(row, from + 1)?,
        epoch: Epoch(count(row, from + 2)?),
        actor: text(3)?,
        kind: text(4)?,
        version: row.get(from + 5)?,
        facts: text(6)?,
        words: row.get_ref(from + 7)?.as_str_or_null()?.map(Into::into),
        facts_hash: hash(row, from + 8)?,
        words_hash: hash(row, from + 9)?,
        hash: hash(row, from + 10)?,
        erased: maybe_json(row, from + 11)?,
    })
}

pub(super) fn wait(row: &Row<'_>) -> Result<Wait> {
    let answered = match maybe_time(row, 14)? {
        Some(at) => Some(GivenAnswer { at, by: from_json(row, 15)?, answer: maybe_json(row, 16)? }),
        None => None,
    };
    let settled = match maybe_time(row, 17)? {
        Some(at) => Some(Settled { at, by: from_json(row, 18)?, how: row.get(19)? }),
        None => None,
    };
    let asked = WaitRow {
        wait: parsed(row, 0)?,
        root: parsed(row, 1)?,
        path: row.get(2)?,
        workspace: row.get(3)?,
        kind: row.get(4)?,
        actions: from_json::<Vec<ActionId>>(row, 5)?,
        due: maybe_time(row, 7)?,
        on_due: from_json(row, 8)?,
        ask: from_json(row, 9)?,
        schema: maybe_json(row, 10)?,
        binding: parsed(row, 11)?,
        may_answer: from_json(row, 12)?,
        supersedable: row.get(13)?,
    };
    Ok(Wait { row: asked, opened: time(row, 6)?, answered, settled })
}

pub(super) fn session(row: &Row<'_>) -> Result<SessionRow> {
    let forked_from = match maybe_parsed(row, 13)? {
        Some(session) => Some(Fork { session, upto: count(row, 14)? }),
        None => None,
    };
    Ok(SessionRow {
        about: NewSession {
            session: parsed(row, 0)?,
            workspace: row.get(1)?,
            owner: row.get(2)?,
            agent: row.get(3)?,
            context: row.get(4)?,
            title: row.get(5)?,
            metadata: from_json(row, 6)?,
        },
        provider_response_id: row.get(7)?,
        active_run: maybe_parsed(row, 8)?,
        version: count(row, 9)?,
        head: count(row, 10)?,
        created: time(row, 11)?,
        updated: time(row, 12)?,
        forked_from,
    })
}

pub(super) fn entry(row: &Row<'_>) -> Result<Entry> {
    let source = match maybe_parsed::<RunId>(row, 2)? {
        Some(run) => EntrySource::Event { run, seq: Seq(count(row, 3)?) },
        None => EntrySource::Body(from_json(row, 4)?),
    };
    Ok(Entry { no: count(row, 0)?, kind: row.get(1)?, source })
}

pub(super) fn signal(row: &Row<'_>) -> Result<Signal> {
    Ok(Signal {
        id: SignalId(count(row, 0)?),
        at: time(row, 1)?,
        from: from_json(row, 2)?,
        kind: row.get(3)?,
        body: maybe_json(row, 4)?,
        key: row.get(5)?,
    })
}

pub(super) fn worker(row: &Row<'_>) -> Result<Worker> {
    Ok(Worker {
        worker: parsed(row, 0)?,
        started: time(row, 1)?,
        beat: count(row, 2)?,
        until: time(row, 3)?,
        dead: row.get(4)?,
        about: from_json(row, 5)?,
    })
}

pub(super) fn artifact(row: &Row<'_>) -> Result<ArtifactInfo> {
    Ok(ArtifactInfo {
        digest: parsed(row, 0)?,
        size: count(row, 1)?,
        media: row.get(2)?,
        parts: count(row, 3)?,
        created: time(row, 4)?,
    })
}

/// Reads `scope, tool, granted_by, at, run, reason, covers, until, action`.
pub(super) fn standing(row: &Row<'_>) -> Result<StandingApproval> {
    Ok(StandingApproval {
        scope: row.get(0)?,
        tool: row.get(1)?,
        by: from_json(row, 2)?,
        at: time(row, 3)?,
        run: parsed(row, 4)?,
        reason: row.get(5)?,
        covers: from_json(row, 6)?,
        until: maybe_time(row, 7)?,
        action: maybe_parsed(row, 8)?,
    })
}
