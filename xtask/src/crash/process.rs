//! One process that works on the run: it claims it, begins it or goes on with it, and may die.

use std::sync::Arc;

use provost_contract::json;
use provost_runtime::driver::{ContinueBy, Executors, Finished, Host, Resume, Run, RunError, Start};
use provost_runtime::port::{Claim, Clock as _, Epoch, Seq, Stores};
use provost_runtime::session::{StoredLock, StoredTranscript};

use super::executor::CountingExecutor;
use super::fate::{Life, Point};
use super::hooks::Scripted;
use super::journal::MortalJournal;
use super::model::ScriptedModel;
use super::people::{post, remember};
use super::scenario::When;
use super::session;
use super::world::World;
use crate::Failure;

const CLAIM_MS: i64 = 60_000;

/// Everybody who acts in a process, and what they share.
pub(super) struct Cast {
    pub(super) world: Arc<World>,
    pub(super) stores: Stores,
    pub(super) life: Arc<Life>,
}

impl Cast {
    /// Passes a point at which no storage could fall silent.
    pub(super) async fn pass(&self, point: Point) {
        if self.life.pass(point).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// How a process ended.
pub(super) enum End {
    /// It died.
    Died,
    /// It worked until there was nothing more to do, or its storage failed.
    Ended(Result<Finished, RunError>),
}

/// Lets a process work until it dies or is done.
pub(super) async fn live(world: &Arc<World>, life: Arc<Life>) -> Result<End, Failure> {
    let cast = Arc::new(Cast { world: world.clone(), stores: world.disk.open()?, life: life.clone() });
    session::prepare(&cast).await?;
    remember(world, &cast.stores).await?;
    let host = host(&cast);
    let claim = claim(&cast).await?;
    let journal =
        MortalJournal { inner: cast.stores.journal.clone(), disk: world.disk.clone(), life: life.clone() };
    let end = tokio::select! {
        biased;
        () = life.ended() => End::Died,
        done = work(&cast, &host, &journal, claim.epoch) => End::Ended(done?),
    };
    match end {
        End::Died => world.disk.died()?,
        End::Ended(_) => cast.stores.claims.release(&claim).await?,
    }
    Ok(end)
}

/// A dead process never releases its claim; whoever knows that it is dead takes it.
async fn claim(cast: &Cast) -> Result<Claim, Failure> {
    let (claims, run, now_ms) = (&cast.stores.claims, &cast.world.run, cast.world.clock.now_ms());
    Ok(match claims.holder(run).await? {
        Some(dead) => claims.seize(&dead, "worker", CLAIM_MS, now_ms).await?,
        None => claims.claim(run, "worker", CLAIM_MS, now_ms).await?,
    })
}

/// Begins the run, or goes on with it once anything of it is known.
async fn work(
    cast: &Cast,
    host: &Host,
    journal: &MortalJournal,
    epoch: Epoch,
) -> Result<Result<Finished, RunError>, Failure> {
    let world = &cast.world;
    if cast.stores.journal.head(&world.run).await? == Seq::NONE {
        post(world, &cast.stores, When::First).await?;
        let start = Start::read(&world.scenario.messages, &world.scenario.options, host)?;
        return Ok(Run::drive(host, journal, world.run.clone(), epoch, start).await);
    }
    let context = json::object_or_empty(&world.scenario.options, "context");
    let resume = Resume { context: Some(context), ..Resume::default() };
    Ok(Run::resume(host, journal, world.run.clone(), epoch, resume).await)
}

fn host(cast: &Arc<Cast>) -> Host {
    let scripted = &cast.world.scenario.hooks;
    let mut host = Host::new(cast.world.clock.clone(), Arc::new(ScriptedModel(cast.clone())));
    host.executors = Some(Executors::new(Arc::new(CountingExecutor(cast.clone()))));
    host.policy = scripted.policy.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    host.mediator = scripted.mediator.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    host.completion = scripted.completion.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    host.diagnostics = scripted.diagnostics.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    host.interrupts = scripted.interrupts.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    host.summariser = scripted.summariser.clone().map(|hook| Arc::new(Scripted(hook)) as _);
    if let Some(hook) = scripted.continuation.clone() {
        host.continuation = ContinueBy::Policy(Arc::new(Scripted(hook)));
    }
    let (sessions, clock) = (cast.stores.sessions.clone(), cast.world.clock.clone());
    host.lock = Some(Arc::new(StoredLock { sessions: sessions.clone(), clock: clock.clone() }));
    host.persister = Some(Arc::new(StoredTranscript { sessions, clock }));
    host.client_requests = Some(cast.stores.client_tool_requests.clone());
    host.approvals = Some(cast.stores.approvals.clone());
    host.memory = Some(cast.stores.memory.clone());
    host.inbox = Some(cast.stores.inbox.clone());
    host
}
