//! One worker: a dispatcher whose store and effects end with its life.

use std::sync::Arc;

use provost_engine::{RunId, WorkerId};
use provost_runtime::actor::{Delta, DeltaSink, HandedIn, Shared};
use provost_runtime::dispatch::{Dispatcher, DispatcherConfig, Doors, Scope};
use provost_runtime::store::ClaimFilter;

use super::agents::Known;
use super::fate::{Fate, Life};
use super::mortal::MortalStore;
use super::performer::Actor;
use super::world::World;
use crate::Failure;

/// Deltas are for watchers; here there are none.
struct Silent;

impl DeltaSink for Silent {
    fn delta(&self, _: &RunId, _: Option<u32>, _: Delta) {}
}

/// A worker.
pub(super) struct Process {
    pub(super) worker: WorkerId,
    pub(super) life: Arc<Life>,
    pub(super) dispatcher: Dispatcher,
}

fn shared(world: &Arc<World>, fate: &Arc<Fate>) -> Result<(Arc<Shared>, Arc<Life>), Failure> {
    let life = Life::new(fate, world.speaks);
    let store = Arc::new(MortalStore { world: world.clone(), life: life.clone() });
    let agents = Known::of(&world.scenario)?;
    let performer = Actor {
        world: world.clone(),
        life: life.clone(),
        agents: agents.clone(),
        store: store.clone(),
        outside: Arc::default(),
    };
    let (performer, clock) = (Arc::new(performer), world.clock.clone());
    Ok((
        Arc::new(Shared {
            store,
            performer,
            agents,
            clock,
            deltas: Arc::new(Silent),
            seal: None,
            anchor: None,
            handed_in: HandedIn::default(),
        }),
        life,
    ))
}

impl Process {
    /// Starts a worker. One whose store fails at once is started again.
    pub(super) async fn start(world: &Arc<World>, fate: &Arc<Fate>, worker: &str) -> Result<Self, Failure> {
        let mut tries = 0;
        loop {
            // An id is never used again, also if it is not known whether it was registered.
            let worker: WorkerId = format!("{worker}.try{tries}").parse()?;
            let (shared, life) = shared(world, fate)?;
            let config = DispatcherConfig::new(worker.clone(), Scope::All(ClaimFilter::default()));
            match Dispatcher::start(shared, config).await {
                Ok(dispatcher) => return Ok(Self { worker, life, dispatcher }),
                Err(error) if tries > 200 => return Err(error.into()),
                Err(_) => tries += 1,
            }
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    }
}

/// The doors as a client uses them, which outlives every worker.
pub(super) fn doors(world: &Arc<World>) -> Result<Doors, Failure> {
    let (live, _) = shared(world, &Fate::new(Vec::new()))?;
    let (performer, agents, clock) = (live.performer.clone(), live.agents.clone(), live.clock.clone());
    let store = world.store.clone();
    Ok(Doors::new(Arc::new(Shared {
        store,
        performer,
        agents,
        clock,
        deltas: Arc::new(Silent),
        seal: None,
        anchor: None,
        handed_in: HandedIn::default(),
    })))
}
