//! Committing a batch of events, and what the actor does when the store refuses or fails.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_engine::event::{Event, EventKind, RunAccepted};
use provost_engine::{ActionId, Actor, Commit, Digest, Epoch, NewRun, Now, Seq, view};

use super::patience::{Outage as _, Pauses};
use super::run::{ActorError, Release, RunActor};
use crate::port::Advice;
use crate::store::{CommitError, Store};

/// What came of a commit.
#[derive(Debug)]
pub(super) enum Committed {
    /// It is durable.
    Done,
    /// The state is not the store's: it is folded again, and the same inputs are reacted to.
    Reload,
}

/// Sends a commit until the store says what became of it. `Busy` and a store that went away are not ends:
/// the same commit is sent again, and the store recognises one that it has. Watchers are informed of a store that stays
/// away.
///
/// # Errors
/// If the run belongs to another worker, or the store cannot take the commit at all.
pub(super) async fn send(
    store: &dyn Store,
    commit: Arc<Commit>,
    trouble: impl Fn(String),
) -> Result<Committed, ActorError> {
    let mut pauses = Pauses::new();
    loop {
        let error = match store.commit(commit.clone()).await {
            Ok(_) => return Ok(Committed::Done),
            Err(error) => error,
        };
        match error.advice() {
            Advice::LetGo => return Err(ActorError::Fenced),
            Advice::Reload => return Ok(Committed::Reload),
            Advice::RetryLater | Advice::ReadTail => {}
            Advice::Stop if is_outage(&error) => {}
            Advice::Stop => return Err(ActorError::Commit(Box::new(error))),
        }
        pauses.pause_after(&error, &trouble).await;
    }
}

/// Whether the storage itself is away or full: it may come back, and the run is not at fault.
fn is_outage(error: &CommitError) -> bool {
    matches!(error, CommitError::Storage(fault) if fault.is_outage())
}

impl RunActor {
    /// What a batch of events writes: its own part, the children that it begins, and sealed arguments.
    pub(super) fn commit_of(
        &mut self,
        now: &Now,
        events: &[Event],
        release: Option<Release>,
    ) -> Result<Commit, ActorError> {
        let step = view::step(self.state(), now, self.loaded.head, events)?;
        let mut commit = step.commit;
        if let Some(row) = &mut commit.row {
            row.release = match release {
                None => provost_engine::Release::Keep,
                Some(Release::Ended | Release::Rests) => provost_engine::Release::Rest,
                Some(Release::Drained) => provost_engine::Release::Ready,
            };
        }
        if commit.row == self.row && release.is_none() {
            commit.row = None;
        } else {
            self.row = commit.row.clone();
        }
        self.seal(&mut commit, events, release);
        let context = self.context();
        for order in &step.children {
            let Some(action) = self.state().action(order.action) else { continue };
            let child = self.shared.performer.child(&context, order, &action.spec);
            let child =
                child.map_err(|fault| ActorError::Child { code: fault.code, message: fault.message })?;
            commit.runs_accepted.push(accepted(child, now)?);
        }
        Ok(commit)
    }

    /// Secret arguments of actions that begin to wait are sealed in the commit that opens the wait, those of actions
    /// that have to wait for others in the commit that lets go of the run. They are deleted in the commit that ends
    /// the action.
    fn seal(&self, commit: &mut Commit, events: &[Event], release: Option<Release>) {
        commit.sealed_delete.retain(|id| self.arguments.hides(*id));
        let Some(key) = &self.shared.seal else { return };
        let mut waiting: BTreeSet<ActionId> = BTreeSet::new();
        for event in events {
            if let EventKind::WaitOpened(opened) = &event.kind {
                waiting.extend(&opened.actions);
            }
        }
        if matches!(release, Some(Release::Rests | Release::Drained)) {
            waiting.extend(self.state().open_actions().map(|(id, _)| id));
        }
        for id in waiting {
            let args = self.state().action(id).map(|action| &action.args).filter(|args| args.hides);
            let Some(raw) = args.and_then(|args| self.arguments.of(id, args)) else { continue };
            let sealed = key.seal(&self.state().spec.run, id, &raw);
            commit.sealed_put.extend(sealed.map(|sealed| (id, sealed)));
        }
    }
}

/// The run of a child, with its first record.
fn accepted(child: super::NewChild, now: &Now) -> Result<NewRun, ActorError> {
    let event = Event {
        seq: Seq(1),
        at: now.wall,
        epoch: Epoch(0),
        actor: Actor::runtime(),
        kind: RunAccepted { spec: Arc::new(child.spec) }.into(),
        erased: false,
    };
    let record = event.to_record(&child.new.run, Digest::ZERO)?;
    Ok(NewRun { records: vec![record], ..child.new })
}
