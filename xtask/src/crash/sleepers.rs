//! Processes that were taken for dead and were not.

use std::pin::Pin;
use std::sync::Arc;

use provost_runtime::driver::RunError;
use provost_runtime::port::AppendError;

use super::fate::Life;
use super::play::in_time;
use super::process::End;
use crate::Failure;

/// A process at work.
pub(super) type Process<'a> = Pin<Box<dyn Future<Output = Result<End, Failure>> + 'a>>;

/// Those that stand still.
#[derive(Default)]
pub(super) struct Sleepers<'a>(Vec<(Arc<Life>, Process<'a>)>);

impl<'a> Sleepers<'a> {
    pub(super) fn add(&mut self, life: Arc<Life>, process: Process<'a>) {
        self.0.push((life, process));
    }

    /// Lets them go on, now that somebody else has taken the run: none of them may write any more.
    pub(super) async fn wake(&mut self) -> Result<(), Failure> {
        for (life, mut process) in self.0.drain(..) {
            life.wake();
            match in_time(&mut process).await? {
                End::Ended(Err(RunError::Journal(AppendError::Fenced { .. }))) => {}
                End::Ended(Err(error)) => return Err(format!("who lost the claim failed: {error}").into()),
                End::Ended(Ok(_)) => return Err("who lost the claim went on to the end".into()),
                End::Died => return Err("who slept died".into()),
            }
        }
        Ok(())
    }
}
