//! One play: a scenario from its first request to the end of its last run, one worker after the other.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::Message;
use provost_engine::event::MessageMode;
use provost_engine::{RunId, SessionId};
use provost_runtime::dispatch::{Doors, NewRunRequest};
use provost_runtime::store::{NewSession, RunFilter, SessionError};
use serde_json::Value;
use tokio::time::Instant;

use super::agents::{HELPER, Known};
use super::fate::{Fate, Health, Place};
use super::people::{ada, answer_all, post};
use super::process::{Process, doors};
use super::scenario::{Ask, When};
use super::seen::Seen;
use super::world::World;
use crate::Failure;

/// A play in which nothing is written for so long is stuck.
const STUCK: Duration = Duration::from_secs(900);
/// How long a worker that woke up has to do harm.
const AFTERWARDS: Duration = Duration::from_secs(40);
/// How often people look without a reason.
const GLANCE: Duration = Duration::from_millis(500);
/// More workers than a play needs.
const WORKERS_MAX: usize = 16;

/// What came of a play.
pub(super) struct Played {
    pub(super) places: Vec<Place>,
    pub(super) operations: usize,
    /// How many workers were struck.
    pub(super) lost: usize,
    pub(super) seen: Seen,
}

struct Stage {
    world: Arc<World>,
    fate: Arc<Fate>,
    doors: Doors,
    processes: Vec<Process>,
    started: usize,
    lost: usize,
    asked: usize,
    /// The part of worker ids that differs between processes.
    name: String,
}

/// Plays a scenario in memory.
pub(super) async fn play(world: &Arc<World>, fate: &Arc<Fate>) -> Result<Played, Failure> {
    play_as(world, fate, "worker").await
}

/// Plays, or goes on with, a scenario with workers of this name.
pub(super) async fn play_as(world: &Arc<World>, fate: &Arc<Fate>, name: &str) -> Result<Played, Failure> {
    for agent in Known::of(&world.scenario)?.all() {
        let compiled = serde_json::to_vec(&agent.spec)?;
        world.store.put_artifact("application/json".into(), compiled).await?;
    }
    let mut stage = Stage {
        world: world.clone(),
        fate: fate.clone(),
        doors: doors(world)?,
        processes: Vec::new(),
        started: 0,
        lost: 0,
        asked: 0,
        name: name.to_owned(),
    };
    for _ in 0..world.scenario.workers {
        stage.start_worker().await?;
    }
    stage.until_over().await?;
    stage.afterwards().await;
    let seen = Seen::of(world).await?;
    Ok(Played { places: fate.passed(), operations: fate.operations(), lost: stage.lost, seen })
}

impl Stage {
    async fn start_worker(&mut self) -> Result<(), Failure> {
        self.started += 1;
        if self.started > WORKERS_MAX {
            return Err("workers die without end".into());
        }
        let worker = format!("{}-{}", self.name, self.started);
        self.processes.push(Process::start(&self.world, &self.fate, &worker).await?);
        Ok(())
    }

    /// Works until everything that is asked for is over.
    async fn until_over(&mut self) -> Result<(), Failure> {
        let mut changes = self.world.store.watch();
        let (mut records, mut since) = (0, Instant::now());
        loop {
            self.replace_struck().await?;
            if self.ask_next().await? {
                return Ok(());
            }
            answer_all(&self.world, &self.doors).await?;
            self.wake_early();
            let written = self.world.store.stats().await?.records;
            if written != records {
                (records, since) = (written, Instant::now());
            } else if since.elapsed() > STUCK {
                return Err(self.stuck().await.into());
            }
            let struck = self.processes.iter().filter(|process| process.life.health() == Health::Awake);
            let struck: Vec<_> = struck.map(|process| Box::pin(process.life.struck())).collect();
            tokio::select! {
                _ = changes.changed() => {}
                () = tokio::time::sleep(GLANCE) => {}
                _ = first(struck) => {}
            }
        }
    }

    /// Starts a worker for each that was struck.
    async fn replace_struck(&mut self) -> Result<(), Failure> {
        let struck: Vec<usize> = self
            .processes
            .iter()
            .enumerate()
            .filter(|(_, process)| process.life.health() != Health::Awake)
            .map(|(index, _)| index)
            .skip(self.lost)
            .collect();
        for index in struck {
            self.lost += 1;
            let Some(process) = self.processes.get(index) else { continue };
            let (dispatcher, worker) = (process.dispatcher.clone(), process.worker.clone());
            match process.life.health() {
                Health::Dead => self.world.died(&worker),
                Health::Draining => dispatcher.drain().await,
                Health::Awake | Health::Asleep | Health::Woken => {}
            }
            self.start_worker().await?;
        }
        Ok(())
    }

    /// Wakes a sleeper as soon as another worker has written something, if it does not sleep until everything
    /// is over.
    fn wake_early(&self) {
        let newest = self.processes.last().map(|process| process.worker.as_str().to_owned());
        let taken = newest.is_some_and(|newest| self.world.has_committed(&newest));
        if taken && self.fate.wakes_early() {
            self.processes.iter().for_each(|process| process.life.wake());
        }
    }

    /// Asks for what comes next. Returns whether everything is over.
    async fn ask_next(&mut self) -> Result<bool, Failure> {
        loop {
            let asks = self.world.scenario.asks.clone();
            let next = asks.get(self.asked);
            let together = self.asked > 0 && next.is_some_and(|next| next.together);
            if self.asked > 0 && !together && !self.is_over().await? {
                return Ok(false);
            }
            let Some(next) = next else { return self.is_over().await };
            self.ask(next).await?;
            self.asked += 1;
        }
    }

    async fn is_over(&self) -> Result<bool, Failure> {
        let open = RunFilter { ended: Some(false), ..RunFilter::default() };
        Ok(self.world.store.runs(open, None, 1).await?.items.is_empty())
    }

    async fn ask(&self, ask: &Ask) -> Result<(), Failure> {
        let run: RunId = ask.run.parse()?;
        let agent = Known::of(&self.world.scenario)?.get(HELPER)?;
        let mut spec = self.world.scenario.run_spec(run);
        spec.policy = agent.digest;
        let message = Message::text("user", format!("How is the garden, {}?", ask.run));
        let mut request = NewRunRequest::new(spec, agent, ada());
        request.key = Some(format!("ask {}", ask.run));
        match ask.session {
            None => {
                request.spec.input.push(Arc::new(message));
                self.doors.accept(request).await?;
            }
            Some(session) => {
                let session = self.session(session).await?;
                self.doors.say(&session, message, MessageMode::Supersede, request).await?;
            }
        }
        post(&self.world, When::First).await;
        Ok(())
    }

    async fn session(&self, name: &str) -> Result<SessionId, Failure> {
        let session: SessionId = name.parse()?;
        let new = NewSession {
            session: session.clone(),
            workspace: "garden".to_owned(),
            owner: "user:ada".to_owned(),
            agent: HELPER.to_owned(),
            context: String::new(),
            title: None,
            metadata: Value::Null,
        };
        match self.world.store.create_session(new).await {
            Ok(_) | Err(SessionError::Exists(_)) => Ok(session),
            Err(error) => Err(error.into()),
        }
    }

    /// Everything is over: sleepers wake, and have time to do harm.
    async fn afterwards(&self) {
        let mut asleep = false;
        for process in &self.processes {
            asleep |= matches!(process.life.health(), Health::Asleep | Health::Woken);
            process.life.wake();
        }
        if asleep {
            tokio::time::sleep(AFTERWARDS).await;
        }
        for process in &self.processes {
            process.life.kill();
        }
    }

    async fn stuck(&self) -> String {
        let runs = self.world.store.runs(RunFilter::default(), None, 100).await;
        let lines = runs.map(|page| page.items).unwrap_or_default().into_iter().map(|run| {
            let failures =
                self.processes.iter().filter_map(|process| process.dispatcher.failure(&run.row.run));
            let failures: Vec<String> = failures.map(|failure| failure.message).collect();
            let (row, owner) = (&run.row, run.row.owner.as_ref().map_or("no worker", |owner| owner.as_str()));
            format!(
                "{} is {} at {}, {owner}, ready {}, took {} of {} signals, {failures:?}",
                row.run, row.status, row.head, row.ready, row.taken, row.inbox
            )
        });
        let lines = lines.collect::<Vec<_>>().join("; ");
        let run = self.world.scenario.asks.first().and_then(|ask| ask.run.parse().ok());
        let Some(run) = run else { return lines };
        let records = self.world.store.journal(run, provost_engine::Seq(0), 1_000).await.unwrap_or_default();
        let kinds: Vec<String> = records.iter().map(|record| record.kind.to_string()).collect();
        format!("nothing happens any more: {lines}; the first run: {}", kinds.join(" "))
    }
}

/// Resolves with the first of several futures.
async fn first<T>(futures: Vec<std::pin::Pin<Box<impl Future<Output = T>>>>) -> T {
    let mut futures = futures;
    std::future::poll_fn(|context| {
        let ready = futures.iter_mut().find_map(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        });
        ready.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
    })
    .await
}
