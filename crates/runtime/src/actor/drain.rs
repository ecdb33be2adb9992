//! A worker that shuts down: executors have a moment to end, and what has not is lost, and certainly gone.

use std::time::Duration;

use provost_engine::event::{Outcome, Phase, Probe};
use provost_engine::{ActionId, Effect, Input, Usage, due};

use super::run::{ActorError, RunActor};

/// How long running executors have to stop.
const GRACE: Duration = Duration::from_secs(5);

impl RunActor {
    /// The worker drains: executors have a moment to end, and what has not is lost, and certainly gone.
    pub(super) async fn stop_for_drain(&mut self) -> Result<(), ActorError> {
        let deadline = tokio::time::sleep(GRACE);
        tokio::pin!(deadline);
        loop {
            let now = self.now();
            let running: Vec<(ActionId, u32, Phase)> = due(self.state(), &now)
                .into_iter()
                .filter_map(|effect| match effect {
                    Effect::Execute(execute) => Some((execute.action, execute.attempt, execute.phase)),
                    _ => None,
                })
                .collect();
            if running.is_empty() || self.tasks.is_empty() {
                return self.report_lost(running).await;
            }
            tokio::select! {
                finished = self.tasks.next() => {
                    self.finished(finished);
                    if self.step().await?.is_some() {
                        return Ok(());
                    }
                }
                () = &mut deadline => {
                    self.tasks.stop_all();
                    self.tasks.abort_all().await;
                    return self.report_lost(running).await;
                }
            }
        }
    }

    async fn report_lost(&mut self, running: Vec<(ActionId, u32, Phase)>) -> Result<(), ActorError> {
        for (action, attempt, _) in running {
            let outcome = Outcome::Lost { gone: true, probe: Probe::Unknown, result: None };
            self.inputs.push(Input::Outcome { action, attempt, outcome, usage: Usage::default() });
        }
        Ok(())
    }
}
