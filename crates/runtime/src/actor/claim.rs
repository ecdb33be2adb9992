//! Claiming a run: how an actor takes it, folds it again when the store knows more, and witnesses its end.

use std::sync::Arc;

use provost_engine::{Digest, Epoch, Input, RunId, Time, WorkerId};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use super::arguments::Arguments;
use super::load::LoadedRun;
use super::patience::patiently;
use super::performer::Delta;
use super::run::{ActorError, Lease, Parked, RunActor, Shared};
use super::tasks::Tasks;
use crate::port::Boxed;
use crate::process::is_gone;

/// How many notes of executors may wait.
const NOTES: usize = 64;

impl RunActor {
    /// Takes a claimed run. `mail` rings when signals wait for it.
    ///
    /// # Errors
    /// If the run cannot be read.
    pub async fn open(
        shared: Arc<Shared>,
        (worker, run, epoch): (WorkerId, RunId, Epoch),
        parked: Option<Parked>,
        mail: Arc<Notify>,
        (lease, drain): (watch::Receiver<Lease>, watch::Receiver<bool>),
    ) -> Result<Self, ActorError> {
        let (loaded, arguments) = match parked {
            Some(parked) => (parked.loaded, parked.arguments),
            None => {
                let load =
                    || -> Boxed<'_, _> { Box::pin(LoadedRun::load(&*shared.store, &*shared.agents, &run)) };
                let loaded = patiently(load).await?;
                let mut arguments = Arguments::of_run(&loaded.state);
                if let Some(raw) = shared.handed_in.take(&run) {
                    arguments.handed_in(&loaded.state, raw);
                }
                (loaded, arguments)
            }
        };
        let (notes, noted) = mpsc::channel(NOTES);
        Ok(Self {
            worker,
            epoch,
            loaded,
            arguments,
            tasks: Tasks::default(),
            inputs: Vec::new(),
            raw: None,
            notes,
            noted,
            unacknowledged: Vec::new(),
            earlier_gone: false,
            mail,
            lease,
            drain,
            began: Instant::now(),
            row: None,
            shared,
        })
    }

    /// Tells the engine that this worker has the run.
    pub(super) async fn claim(&mut self) -> Result<(), ActorError> {
        let workspace = self.state().spec.workspace.clone();
        let mut standing = patiently(|| self.shared.store.standing(workspace.clone())).await?;
        let now = Time(self.shared.clock.now_ms());
        standing.retain(|approval| approval.holds_at(now));
        self.earlier_gone = self.is_earlier_gone().await?;
        self.loaded.state.today = self.shared.agents.today(&self.state().spec.agent);
        let policy =
            self.state().today.as_ref().map_or(self.state().spec.policy, |today| today.policy_digest());
        self.inputs.push(Input::Claimed {
            epoch: self.epoch,
            worker: self.worker.clone(),
            compiled: self.state().spec.compiled,
            policy,
            standing,
        });
        Ok(())
    }

    /// Whether the worker that had the run before is a process of this machine that is gone, or this one.
    async fn is_earlier_gone(&self) -> Result<bool, ActorError> {
        match &self.loaded.worker {
            None => Ok(true),
            Some(worker) if *worker == self.worker => Ok(true),
            Some(worker) => {
                let about = patiently(|| self.shared.store.worker(worker.clone())).await?;
                Ok(about.is_some_and(|worker| is_gone(&worker.about)))
            }
        }
    }

    /// The store has something that the state does not: the journal is folded again, and the same inputs are
    /// reacted to, with every signal that waits.
    pub(super) async fn reload(&mut self) -> Result<(), ActorError> {
        let run = self.state().spec.run.clone();
        let active_ms = self.loaded.active_ms;
        let shared = self.shared.clone();
        let load = || -> Boxed<'_, _> { Box::pin(LoadedRun::load(&*shared.store, &*shared.agents, &run)) };
        self.loaded = patiently(load).await?;
        self.loaded.active_ms = active_ms.max(self.loaded.active_ms);
        self.row = None;
        self.inputs.retain(|input| !matches!(input, Input::Signals(_)));
        if self.state().epoch > self.epoch {
            return Err(ActorError::Fenced);
        }
        let claimed = self.state().epoch == self.epoch;
        let has_claim = self.inputs.iter().any(|input| matches!(input, Input::Claimed { .. }));
        if claimed {
            self.inputs.retain(|input| !matches!(input, Input::Claimed { .. }));
        } else if !has_claim {
            let rest = std::mem::take(&mut self.inputs);
            self.claim().await?;
            self.inputs.extend(rest);
        }
        self.take_signals().await
    }

    /// Witnesses the end of the run. The run is not at fault if that fails, but its watchers are informed.
    pub(super) fn witness(&self, head: Digest, at: Time) {
        let (Some(anchor), run) = (&self.shared.anchor, &self.state().spec.run) else { return };
        if let Err(error) = anchor.ended(run, self.state().seq, head, at) {
            let why = std::error::Error::source(&error).map_or(String::new(), |source| format!(": {source}"));
            let problem = format!("the end of this run is not witnessed: {error}{why}");
            self.shared.deltas.delta(run, None, Delta::Trouble(problem));
        }
    }
}
