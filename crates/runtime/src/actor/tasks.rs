//! What is under way for a run: tasks by the identity of their effect.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use provost_contract::json::Object;
use provost_engine::event::{HookAnswer, Outcome};
use provost_engine::{ActionId, EffectId, Fault, Input, ModelAnswer, ModelFault, Usage};
use tokio::sync::Notify;
use tokio::task::{AbortHandle, JoinSet};

/// What a task came to.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) id: EffectId,
    pub(super) input: Input,
    /// The raw arguments that came with a response.
    pub(super) raw: Option<Vec<Object>>,
}

/// The tasks of one run.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    set: JoinSet<Finished>,
    under_way: BTreeMap<EffectId, Task>,
    /// Finished, and not acknowledged by a commit yet.
    unacknowledged: BTreeSet<EffectId>,
}

#[derive(Debug)]
struct Task {
    abort: AbortHandle,
    stop: Arc<Notify>,
}

impl Tasks {
    /// Returns whether an effect is under way, or its end is not committed yet.
    pub(super) fn has(&self, id: EffectId) -> bool {
        self.under_way.contains_key(&id) || self.unacknowledged.contains(&id)
    }

    /// Returns whether nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Returns whether a hook or a preview is under way.
    pub(super) fn asks(&self) -> bool {
        self.under_way.keys().any(|id| id.asks())
    }

    /// Starts an effect. A panic stays inside and becomes the effect's failure.
    pub(super) fn start(
        &mut self,
        id: EffectId,
        stop: Arc<Notify>,
        work: impl Future<Output = (Input, Option<Vec<Object>>)> + Send + 'static,
    ) {
        let abort = self.set.spawn(guarded(id, work));
        self.under_way.insert(id, Task { abort, stop });
    }

    /// Starts an effect and returns its end if it ends at once.
    pub(super) fn start_now(
        &mut self,
        id: EffectId,
        work: impl Future<Output = (Input, Option<Vec<Object>>)> + Send + 'static,
    ) -> Option<Finished> {
        let mut work = Box::pin(guarded(id, work));
        if let Some(finished) = (&mut work).now_or_never() {
            self.unacknowledged.insert(id);
            return Some(finished);
        }
        let abort = self.set.spawn(work);
        self.under_way.insert(id, Task { abort, stop: Arc::default() });
        None
    }

    /// Lets an effect start again whose end was not committed.
    pub(super) fn start_again(&mut self, id: EffectId) {
        self.unacknowledged.remove(&id);
    }

    /// Drops model calls, hooks and previews that are not due any more. An executor is only ended by `stop`.
    pub(super) fn drop_all_but(&mut self, due: &BTreeSet<EffectId>) {
        self.under_way.retain(|id, task| {
            let droppable = matches!(
                id,
                EffectId::Model(_) | EffectId::Hook(..) | EffectId::Preview(_) | EffectId::Recover(..)
            );
            let keep = !droppable || due.contains(id);
            if !keep {
                task.abort.abort();
            }
            keep
        });
    }

    /// Asks a running executor to stop. Returns whether there is one.
    pub(super) fn stop(&self, action: ActionId, attempt: u32) -> bool {
        let running = self.under_way.iter().find(
            |(id, _)| matches!(id, EffectId::Execute(of, number, _) if *of == action && *number == attempt),
        );
        running.inspect(|(_, task)| task.stop.notify_one()).is_some()
    }

    /// Asks every running executor to stop.
    pub(super) fn stop_all(&self) {
        self.under_way.values().for_each(|task| task.stop.notify_one());
    }

    /// Waits for the next task that finishes. Pends while there is none.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(super) async fn next(&mut self) -> Finished {
        loop {
            match self.set.join_next().await {
                Some(Ok(finished)) => {
                    if self.under_way.remove(&finished.id).is_some() {
                        self.unacknowledged.insert(finished.id);
                        return finished;
                    }
                }
                // It was dropped on purpose.
                Some(Err(_)) => {}
                None => std::future::pending::<()>().await,
            }
        }
    }

    /// Returns a task that has finished already.
    pub(super) fn try_next(&mut self) -> Option<Finished> {
        loop {
            match self.set.try_join_next()? {
                Ok(finished) if self.under_way.remove(&finished.id).is_some() => {
                    self.unacknowledged.insert(finished.id);
                    return Some(finished);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// The ends of finished tasks are committed.
    pub(super) fn acknowledge(&mut self) {
        self.unacknowledged.clear();
    }

    /// Ends everything at once.
    pub(super) async fn abort_all(&mut self) {
        self.under_way.clear();
        self.set.shutdown().await;
    }
}

/// The work of an effect. A panic stays inside and becomes the effect's failure.
async fn guarded(id: EffectId, work: impl Future<Output = (Input, Option<Vec<Object>>)>) -> Finished {
    let finished = AssertUnwindSafe(work).catch_unwind().await;
    let (input, raw) = finished.unwrap_or_else(|panic| (broken(id, &panic_message(&*panic)), None));
    Finished { id, input, raw }
}

/// What a panic says.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
}

/// What a panic means for an effect.
fn broken(id: EffectId, reason: &str) -> Input {
    let fault = |what: &str| Fault::new("panicked", format!("The {what} broke: it panicked: {reason}"));
    match id {
        EffectId::Model(request) => {
            let answer =
                ModelAnswer::Failed(Box::new(ModelFault::new("panicked", fault("model adapter").message)));
            Input::Model { request, answer }
        }
        EffectId::Hook(hook, subject) => {
            Input::Hook { hook, subject, answer: HookAnswer::Failed { fault: fault("hook") } }
        }
        EffectId::Preview(action) => {
            let preview = Ok(provost_engine::Payload::default());
            Input::Preview { action, preview, expect: Vec::new() }
        }
        EffectId::Execute(action, attempt, _) => {
            let outcome =
                Outcome::Failed { fault: fault("tool"), result: provost_engine::Payload::default() };
            Input::Outcome { action, attempt, outcome, usage: Usage::default() }
        }
        EffectId::Recover(action, attempt) => Input::Recovered {
            action,
            attempt,
            gone: false,
            probe: provost_engine::event::Probe::Unknown,
            result: None,
        },
        EffectId::Stop(..) | EffectId::WakeAt(_) => Input::Tick,
    }
}
