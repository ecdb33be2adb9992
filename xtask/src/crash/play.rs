//! A whole play: one process after the other works on the run, and whoever is asked answers.

use std::sync::Arc;
use std::time::Duration;

use provost_runtime::driver::{Finished, RunError};
use provost_runtime::port::{AppendError, Fault};

use super::fate::{Cut, Fate, Life, Point};
use super::people;
use super::process::{End, live};
use super::scenario::When;
use super::seen::Seen;
use super::sleepers::{Process, Sleepers};
use super::world::World;
use crate::Failure;

/// More processes than any play needs.
const PROCESSES_MAX: usize = 40;
/// Longer than any process needs: nothing in a play waits for the clock of the machine.
const PROCESS_MAX: Duration = Duration::from_secs(20);

/// What came of a play.
pub(super) struct Played {
    pub(super) seen: Seen,
    pub(super) points: Vec<Point>,
    /// How many processes went away before they were done.
    pub(super) lost: usize,
}

/// Plays to the end of the run, cut as planned.
pub(super) async fn play(world: &Arc<World>, cuts: Vec<Cut>) -> Result<Played, Failure> {
    let fate = Fate::new(cuts);
    let mut sleepers = Sleepers::default();
    let mut lost = 0;
    for _ in 0..PROCESSES_MAX {
        let life = Life::new(&fate);
        let mut process: Process<'_> = Box::pin(live(world, life.clone()));
        let end = tokio::select! {
            biased;
            () = life.sleeps() => None,
            end = in_time(&mut process) => Some(end?),
        };
        let Some(end) = end else {
            sleepers.add(life, process);
            lost += 1;
            continue;
        };
        sleepers.wake().await?;
        match end {
            End::Died | End::Ended(Err(RunError::Journal(AppendError::Storage(Fault::Unknown(_))))) => {
                lost += 1;
            }
            End::Ended(Err(error)) => return Err(format!("a process failed: {error}").into()),
            End::Ended(Ok(finished)) if finished.status.is_parked() => {
                answer(world, &finished).await?;
            }
            End::Ended(Ok(finished)) => {
                let seen = Seen::of(world, &finished).await?;
                return Ok(Played { seen, points: fate.passed(), lost });
            }
        }
    }
    Err("the run comes to no end".into())
}

/// Lets a process go on to its end, which is near.
pub(super) async fn in_time(process: &mut Process<'_>) -> Result<End, Failure> {
    tokio::time::timeout(PROCESS_MAX, process).await.map_err(|_| "a process waits for nothing")?
}

/// A run that waits for nobody would wait for ever.
async fn answer(world: &Arc<World>, finished: &Finished) -> Result<(), Failure> {
    let stores = world.disk.open()?;
    let answered = people::answer(world, &stores).await?;
    people::post(world, &stores, When::Parked).await?;
    match answered {
        0 => Err(format!("the run is {:?} and nobody is asked", finished.status).into()),
        _ => Ok(()),
    }
}
