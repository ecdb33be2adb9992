//! What one commit writes for a batch of events.

use serde_json::Value;

use super::status::{status, summary};
use crate::due::wake_at;
use crate::event::{
    ActionEnd, ActionEnded, Answer, Assignment, AttemptEnded, Decision, Event, EventKind, HookAnswer, Lasts,
    Note, Outcome, RunEnded, RunSpec, Signal, WaitKind, WaitOpened, WaitSettled,
};
use crate::react::Now;
use crate::state::RunState;
use crate::{
    ActionId, Actor, ActorKind, AnswerPost, Commit, Digest, Payload, Record, Release, RowChange, RunId,
    SessionEntry, SessionWrite, SignalId, SignalPost, StandingChange, WaitRow, WaitSettlement,
};

/// A batch of events as a commit, and the children that it begins.
#[derive(Clone, Debug)]
pub struct Step {
    /// The commit. The caller adds the children, sealed arguments and the release of the run.
    pub commit: Commit,
    /// The child runs that it begins.
    pub children: Vec<ChildOrder>,
    /// The hash of its last record.
    pub head: Digest,
}

/// A child run that an action delegates to.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildOrder {
    /// The child's id.
    pub run: RunId,
    /// What it is assigned.
    pub assignment: Assignment,
    /// The agent that it asks for.
    pub agent: String,
    /// The action that delegates.
    pub action: ActionId,
}

/// Returns what a batch of events writes. `state` has taken the events in; `previous` is the hash of the
/// record before them.
///
/// # Errors
/// If an event cannot be written as JSON.
pub fn step(state: &RunState, now: &Now, previous: Digest, events: &[Event]) -> serde_json::Result<Step> {
    let run = &state.spec.run;
    let mut head = previous;
    let mut records: Vec<Record> = Vec::with_capacity(events.len());
    for event in events {
        let record = event.to_record(run, head)?;
        head = record.hash;
        records.push(record);
    }
    let mut step = Step {
        commit: Commit {
            run: run.clone(),
            epoch: state.epoch,
            expected: crate::Seq(state.seq.0 - events.len() as u64),
            records,
            row: Some(row(state, now)),
            waits_opened: Vec::new(),
            waits_settled: Vec::new(),
            signals_taken: None,
            signals_posted: cancels(state, events),
            answers: Vec::new(),
            runs_accepted: Vec::new(),
            session: session(state, events),
            artifacts: Vec::new(),
            standing: Vec::new(),
            sealed_put: Vec::new(),
            sealed_delete: Vec::new(),
        },
        children: Vec::new(),
        head,
    };
    for event in events {
        add(&mut step, state, event);
    }
    Ok(step)
}

fn row(state: &RunState, now: &Now) -> RowChange {
    RowChange {
        status: status(state, now).as_str().to_owned(),
        due: wake_at(state, now),
        release: if state.ended.is_some() { Release::Rest } else { Release::Keep },
        ended: state.ended.is_some(),
        summary: summary(state),
    }
}

fn add(step: &mut Step, state: &RunState, event: &Event) {
    match &event.kind {
        EventKind::WaitOpened(opened) => add_wait(step, state, opened),
        EventKind::WaitSettled(settled) => add_settlement(step, state, event, settled),
        EventKind::SignalTaken(taken) => name_signal(step, taken.signal),
        EventKind::RunEnded(ended) => add_end(step, state, ended),
        EventKind::ActionEnded(ended) => add_action_end(step, ended),
        EventKind::AttemptEnded(ended) => add_attempt_end(step, ended),
        EventKind::ActionNoted(noted) => {
            if let Note::Output { artifact } = &noted.note {
                step.commit.artifacts.push(artifact.digest);
            }
        }
        EventKind::HistoryCompacted(compacted) => {
            step.commit.artifacts.extend(compacted.archive.as_ref().map(|archive| archive.digest));
        }
        EventKind::ModelResponded(responded) => {
            step.commit.artifacts.extend(responded.output.as_ref().and_then(digest_of));
        }
        EventKind::RunAccepted(_)
        | EventKind::RunClaimed(_)
        | EventKind::RunStopping(_)
        | EventKind::ModelRequested(_)
        | EventKind::ModelFailed(_)
        | EventKind::DeclarationAccepted(_)
        | EventKind::ResponseRefused(_)
        | EventKind::HookAnswered(_)
        | EventKind::ActionStarted(_) => {}
    }
}

fn digest_of(payload: &Payload) -> Option<Digest> {
    payload.artifact().map(|artifact| artifact.digest)
}

fn add_action_end(step: &mut Step, ended: &ActionEnded) {
    step.commit.artifacts.extend(digest_of(&ended.result));
    step.commit.artifacts.extend(ended.artifacts.iter().map(|artifact| artifact.digest));
    step.commit.sealed_delete.push(ended.action);
}

fn add_attempt_end(step: &mut Step, ended: &AttemptEnded) {
    match &ended.outcome {
        Outcome::Proposed { change_set } => step.commit.artifacts.push(change_set.artifact.digest),
        Outcome::Completed { result, .. } | Outcome::Failed { result, .. } => {
            step.commit.artifacts.extend(digest_of(result));
        }
        Outcome::TimedOut { .. }
        | Outcome::Stopped
        | Outcome::Lost { .. }
        | Outcome::NotStarted { .. }
        | Outcome::Stale { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. } => {}
    }
}

fn name_signal(step: &mut Step, signal: SignalId) {
    step.commit.signals_taken = step.commit.signals_taken.max(Some(signal));
}

/// The row of a wait, as its run opens it.
pub fn wait_row(spec: &RunSpec, opened: &WaitOpened) -> WaitRow {
    WaitRow {
        wait: opened.wait.clone(),
        root: root(spec).clone(),
        path: spec.parent.as_ref().map(|parent| parent.path.clone()).unwrap_or_default(),
        workspace: spec.workspace.clone(),
        kind: opened.kind.as_str().to_owned(),
        actions: opened.actions.clone(),
        due: opened.due,
        on_due: serde_json::to_value(Answer::Expired).unwrap_or_default(),
        ask: opened.ask.shown().clone(),
        schema: opened.schema.as_ref().map(|schema| schema.shown().clone()),
        binding: opened.binding,
        may_answer: opened.may_answer.clone(),
        supersedable: opened.supersedable,
    }
}

fn add_wait(step: &mut Step, state: &RunState, opened: &WaitOpened) {
    let spec = &state.spec;
    step.commit.waits_opened.push(wait_row(spec, opened));
    let (WaitKind::Child { run }, Some(id)) = (&opened.kind, opened.actions.first()) else { return };
    let Some(action) = state.action(*id) else { return };
    let parent = spec.parent.as_ref();
    let path = match parent.map(|parent| parent.path.as_str()) {
        Some(path) if !path.is_empty() => format!("{path}/{id}"),
        Some(_) | None => id.to_string(),
    };
    step.children.push(ChildOrder {
        run: run.clone(),
        agent: action.spec.executor.target.clone(),
        action: *id,
        assignment: Assignment {
            run: spec.run.clone(),
            action: *id,
            attempt: opened.attempt.unwrap_or_default(),
            wait: opened.wait.clone(),
            root: root(spec).clone(),
            path,
            depth: parent.map_or(0, |parent| parent.depth) + 1,
            authority: Value::Null,
            context: action.spec.context.clone(),
            expected: Value::Null,
            share: opened.reserved.clone(),
        },
    });
}

fn root(spec: &RunSpec) -> &RunId {
    spec.parent.as_ref().map_or(&spec.run, |parent| &parent.root)
}

fn add_settlement(step: &mut Step, state: &RunState, event: &Event, settled: &WaitSettled) {
    if let Some(signal) = settled.signal {
        name_signal(step, signal);
    }
    let how: &'static str = settled.how.into();
    step.commit.waits_settled.push(WaitSettlement {
        wait: settled.wait.clone(),
        how: how.to_owned(),
        by: settled.by.clone(),
    });
    let Some(Answer::Verdicts { verdicts, remember: Some(remember), reason, binding }) = &settled.answer
    else {
        return;
    };
    if remember.lasts == Lasts::Run || !state.has_owner() {
        return;
    }
    let approved = verdicts.iter().filter(|(_, decision)| matches!(decision, Decision::Approve { .. }));
    let approved = approved.filter_map(|(id, _)| state.action(*id));
    // An approval of changes is bound to them, and about nothing else.
    let of_changes =
        |action: &crate::state::Action| action.change_set.as_ref().is_some_and(|set| set.digest == *binding);
    for action in approved.filter(|action| !of_changes(action)) {
        let approval = state.granted(action, remember, (&settled.by, event.at, reason));
        let workspace = state.spec.workspace.clone();
        step.commit.standing.push(StandingChange::Grant { workspace, approval });
    }
}

/// A child's end answers the wait of its parent.
fn add_end(step: &mut Step, state: &RunState, ended: &RunEnded) {
    step.commit
        .artifacts
        .extend([Some(&ended.text), ended.output.as_ref()].into_iter().flatten().filter_map(digest_of));
    let Some(parent) = &state.spec.parent else { return };
    let status = match ended.status {
        crate::event::EndStatus::Completed => ActionEnd::Completed,
        crate::event::EndStatus::BudgetExceeded
        | crate::event::EndStatus::Stalled
        | crate::event::EndStatus::Interrupted
        | crate::event::EndStatus::Failed
        | crate::event::EndStatus::Cancelled => ActionEnd::Failed,
    };
    let answer = Answer::Result {
        payload: ended.output.clone().unwrap_or_else(|| ended.text.clone()),
        status,
        satisfying: ended.satisfying,
        effect: ended.effect,
        usage: ended.usage.clone(),
    };
    step.commit.answers.push(AnswerPost {
        wait: parent.wait.clone(),
        by: Actor::new(ActorKind::Run, state.spec.run.as_str()),
        binding: None,
        answer: serde_json::to_value(answer).unwrap_or_default(),
        sealed: Vec::new(),
    });
}

/// Cancels to open children, in the commit that cancels their actions. The key makes a repetition a no-op.
fn cancels(state: &RunState, events: &[Event]) -> Vec<SignalPost> {
    let cancels = events.iter().any(|event| match &event.kind {
        EventKind::SignalTaken(taken) => {
            matches!(taken.body, Signal::Cancel { .. }) && taken.ignored.is_none()
        }
        EventKind::DeclarationAccepted(accepted) => !accepted.cancel.is_empty(),
        EventKind::AttemptEnded(_) | EventKind::ActionEnded(_) => true,
        _ => false,
    });
    if !cancels || crate::defect::is(crate::defect::Defect::CancelSkipsChildren) {
        return Vec::new();
    }
    let children = state.waits.iter().filter(|(_, wait)| wait.cancel_sent);
    let posts = children.filter_map(|(number, wait)| match &wait.kind {
        WaitKind::Child { run } => Some(SignalPost {
            run: run.clone(),
            key: Some(format!("cancel:{}", state.wait_id(*number))),
            from: Actor::new(ActorKind::Run, state.spec.run.as_str()),
            body: serde_json::to_value(Signal::Cancel {
                actions: None,
                reason: "the parent cancelled it".into(),
            })
            .unwrap_or_default(),
        }),
        _ => None,
    });
    posts.collect()
}

/// Whether an event of a run becomes an entry of the run's session. The first record does if it brings messages.
pub fn is_session_line(event: &Event) -> bool {
    match &event.kind {
        EventKind::RunAccepted(accepted) => !accepted.spec.input.is_empty(),
        EventKind::ModelResponded(_)
        | EventKind::HistoryCompacted(_)
        | EventKind::ActionEnded(_)
        | EventKind::ResponseRefused(_) => true,
        EventKind::SignalTaken(taken) => {
            matches!(taken.body, Signal::Message { .. }) && taken.ignored.is_none()
        }
        EventKind::HookAnswered(answered) => matches!(answered.answer, HookAnswer::Message { .. }),
        _ => false,
    }
}

/// The entries that a batch adds to the run's session.
fn session(state: &RunState, events: &[Event]) -> Option<SessionWrite> {
    let session = state.spec.session.as_ref()?.id.clone();
    let entries: Vec<SessionEntry> = events
        .iter()
        .filter(|event| is_session_line(event))
        .map(|event| SessionEntry { seq: event.seq, kind: event.kind.name().to_owned() })
        .collect();
    let release = events.iter().any(|event| matches!(event.kind, EventKind::RunEnded(_)));
    let provider_response_id = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::ModelResponded(responded) => {
            let id = responded.provider.get("provider_response_id")?;
            Some(id.as_str().map(str::to_owned))
        }
        _ => None,
    });
    let writes = !entries.is_empty() || release;
    writes.then_some(SessionWrite { session, entries, release, provider_response_id })
}
