//! Doors: signals, answers, and the clock as one who answers.

use provost_engine::{Actor, ActorKind, AnswerPost, SignalId, SignalPost, Time, WaitRow};
use serde_json::{Value, json};

use super::{Tables, wake};
use crate::port::Fault;
use crate::store::{
    AnswerError, Answered, Expired, GivenAnswer, PostError, Posted, RevokePost, RunRow, Signal, Wait,
};

/// How many signals may wait in the queue of a run before the door refuses more. Answers always pass.
const SIGNALS_WAITING_MAX: u64 = 10_000;

/// See [`Store::post`](crate::store::Store::post).
///
/// # Errors
/// Nothing was written.
pub fn post(tables: &mut dyn Tables, now: Time, post: &SignalPost) -> Result<Posted, PostError> {
    if let Some(id) = posted_before(tables, post)? {
        return Ok(Posted { id, existing: true });
    }
    let row = tables.run(&post.run)?.ok_or_else(|| PostError::UnknownRun(post.run.clone()))?;
    if row.ended.is_some() {
        return Err(PostError::RunEnded { run: row.run, status: row.status });
    }
    let waiting = row.inbox.0.saturating_sub(row.taken.0);
    if waiting >= SIGNALS_WAITING_MAX {
        return Err(PostError::QueueFull { waiting });
    }
    Ok(Posted { id: push(tables, now, &row, post)?, existing: false })
}

/// Returns the signal that was posted under the same key.
pub(super) fn posted_before(tables: &dyn Tables, post: &SignalPost) -> Result<Option<SignalId>, Fault> {
    post.key.as_ref().map_or(Ok(None), |key| tables.signal_keyed(&post.run, key))
}

/// Posts a signal of another run's commit. One that cannot arrive any more is dropped: its run is over, so
/// there is nothing left that it could change.
pub(super) fn deliver(tables: &mut dyn Tables, now: Time, post: &SignalPost) -> Result<(), Fault> {
    if posted_before(tables, post)?.is_some() {
        return Ok(());
    }
    if let Some(row) = tables.run(&post.run)?.filter(|row| row.ended.is_none()) {
        push(tables, now, &row, post)?;
    }
    Ok(())
}

/// Adds a signal to the queue and wakes the run.
pub(super) fn push(
    tables: &mut dyn Tables,
    now: Time,
    row: &RunRow,
    post: &SignalPost,
) -> Result<SignalId, Fault> {
    let mut after = row.clone();
    after.inbox.0 += 1;
    wake(&mut after, now);
    let kind = post.body.get("type").and_then(Value::as_str).unwrap_or_default();
    let signal = Signal {
        id: after.inbox,
        at: now,
        from: post.from.clone(),
        kind: kind.to_owned(),
        body: Some(post.body.clone()),
        key: post.key.clone(),
    };
    tables.insert_signal(&row.run, &signal)?;
    tables.update_run(row, &after, None)?;
    Ok(signal.id)
}

/// See [`Store::answer`](crate::store::Store::answer).
///
/// # Errors
/// Nothing was written.
pub fn answer(tables: &mut dyn Tables, now: Time, post: &AnswerPost) -> Result<Answered, AnswerError> {
    let (wait, row) = open_wait(tables, post)?;
    // The clock answers when its time comes, whether or not a worker has noticed yet.
    if let Some(due) = wait.row.due.filter(|due| *due <= now) {
        return Err(AnswerError::Settled { how: "expired".to_owned(), by: Actor::clock(), at: due });
    }
    if let Some(binding) = post.binding
        && binding != wait.row.binding
    {
        return Err(AnswerError::OtherBinding { expected: wait.row.binding });
    }
    if !may_answer(&wait.row, &post.by) {
        return Err(AnswerError::NotAllowed { may_answer: wait.row.may_answer });
    }
    Ok(Answered { signal: record(tables, now, wait, &row, post)? })
}

/// Records the answer of another run's commit, or drops it when the wait needs none any more.
pub(super) fn deliver_answer(tables: &mut dyn Tables, now: Time, post: &AnswerPost) -> Result<(), Fault> {
    match open_wait(tables, post) {
        Ok((wait, row)) => record(tables, now, wait, &row, post).map(drop),
        Err(AnswerError::Storage(fault)) => Err(fault),
        Err(_) => Ok(()),
    }
}

/// Returns a wait without an answer, and its run.
fn open_wait(tables: &dyn Tables, post: &AnswerPost) -> Result<(Wait, RunRow), AnswerError> {
    let unknown = || AnswerError::UnknownWait(post.wait.clone());
    let wait = tables.wait(&post.wait)?.ok_or_else(unknown)?;
    if let Some(settled) = wait.settled {
        return Err(AnswerError::Settled { how: settled.how, by: settled.by, at: settled.at });
    }
    if let Some(given) = wait.answered {
        return Err(AnswerError::AlreadyAnswered { by: given.by, at: given.at });
    }
    let row = tables.run(&post.wait.run)?.ok_or_else(unknown)?;
    if row.ended.is_some() {
        return Err(AnswerError::RunEnded(row.run));
    }
    Ok((wait, row))
}

/// Sets the answer and posts it.
fn record(
    tables: &mut dyn Tables,
    now: Time,
    mut wait: Wait,
    row: &RunRow,
    post: &AnswerPost,
) -> Result<SignalId, Fault> {
    wait.answered = Some(GivenAnswer { by: post.by.clone(), at: now, answer: Some(post.answer.clone()) });
    tables.update_wait(&wait)?;
    for (action, bytes) in &post.sealed {
        tables.seal(&row.run, *action, bytes)?;
    }
    let signal = SignalPost {
        run: row.run.clone(),
        key: Some(format!("answer:{}", post.wait)),
        from: post.by.clone(),
        body: json!({"type": "answer", "wait": post.wait.to_string(), "answer": post.answer}),
    };
    push(tables, now, row, &signal)
}

/// See [`Store::revoke_standing`](crate::store::Store::revoke_standing).
///
/// # Errors
/// The storage failed.
pub fn revoke_standing(tables: &mut dyn Tables, now: Time, revoke: &RevokePost) -> Result<bool, Fault> {
    let held = tables.revoke(&revoke.workspace, &revoke.scope, now)?;
    if !held {
        return Ok(false);
    }
    for run in tables.runs_held(&revoke.workspace)? {
        let (from, body) = (revoke.from.clone(), revoke.body.clone());
        deliver(tables, now, &SignalPost { run, key: None, from, body })?;
    }
    Ok(true)
}

/// Whether an actor may answer a wait. A rule is the id of a person or client (`user:ada`), `run:` and the
/// id of a run, or the name of a kind (`person`). Without a rule every person and client may; a model never
/// answers.
fn may_answer(wait: &WaitRow, by: &Actor) -> bool {
    let kind: &'static str = by.kind.into();
    let listed = |name: &str| wait.may_answer.iter().any(|rule| rule == name || rule == kind);
    match by.kind {
        ActorKind::Person | ActorKind::Client => wait.may_answer.is_empty() || listed(&by.id),
        ActorKind::Run => listed(&format!("run:{}", by.id)),
        ActorKind::Runtime | ActorKind::Clock => true,
        ActorKind::Model => false,
    }
}

/// See [`Store::expire_due`](crate::store::Store::expire_due).
///
/// # Errors
/// The storage failed.
pub fn expire_due(tables: &mut dyn Tables, now: Time, most: usize) -> Result<Expired, Fault> {
    let mut expired = Expired::default();
    for wait in tables.waits_due(now, most)? {
        let Some(answer) = tables.wait(&wait)?.map(|wait| wait.row.on_due) else { continue };
        let sealed = Vec::new();
        deliver_answer(tables, now, &AnswerPost { wait, by: Actor::clock(), binding: None, answer, sealed })?;
        expired.waits += 1;
    }
    for run in tables.runs_due(now, most)? {
        let Some(row) = tables.run(&run)? else { continue };
        let mut after = row.clone();
        wake(&mut after, now);
        tables.update_run(&row, &after, None)?;
        expired.runs += 1;
    }
    Ok(expired)
}
