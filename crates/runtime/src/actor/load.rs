//! A run as the store has it: its journal verified and folded, with the history of its session.

use std::sync::Arc;

use provost_contract::Message;
use provost_engine::event::{DecodeError, Event, EventKind, RunSpec};
use provost_engine::{
    Agent, AgentSpec, ChainError, Digest, Illegal, Record, RunId, RunState, Seq, SessionId, SignalId,
    WorkerId,
};

use super::artifacts::whole;
use crate::port::{Boxed, Fault};
use crate::store::{EntrySource, RunRow, Store};

/// How many records are read at a time.
const PAGE: usize = 1_000;

/// Why a run cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The run does not exist.
    #[error("run {0} does not exist")]
    Unknown(RunId),
    /// Its journal was changed or cut.
    #[error("the journal of run {run} is damaged")]
    Damaged {
        /// The run.
        run: RunId,
        /// What does not fit.
        #[source]
        source: ChainError,
    },
    /// Its row says that the journal is longer, or ends differently.
    #[error("the journal of run {run} ends at record {journal}, its row says {row}")]
    Cut {
        /// The run.
        run: RunId,
        /// The end of the journal.
        journal: Seq,
        /// What the row says.
        row: Seq,
    },
    /// A record cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The events contradict each other.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// The compiled agent that it obeys is not stored.
    #[error("the agent {digest} that run {run} obeys is not stored")]
    AgentMissing {
        /// The run.
        run: RunId,
        /// The agent.
        digest: Digest,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// The agents that a process knows.
pub trait Agents: Send + Sync {
    /// Returns an agent by the digest of its spec, if the process has it.
    fn compiled(&self, digest: Digest) -> Option<Arc<Agent>>;

    /// Returns the agent as it is configured today, under which its denials count.
    fn today(&self, name: &str) -> Option<Arc<Agent>>;
}

/// A run that was read and folded.
#[derive(Debug)]
pub struct LoadedRun {
    /// Its state.
    pub state: RunState,
    /// The hash of its last record.
    pub head: Digest,
    /// The last signal that it took.
    pub taken: SignalId,
    /// How long it has been worked on.
    pub active_ms: u64,
    /// The worker that claimed it last.
    pub worker: Option<WorkerId>,
}

/// The verified journal of a run, with what its fold begins from.
#[derive(Clone, Debug)]
pub struct ReadRun {
    /// The run.
    pub run: RunId,
    /// The agent it obeys.
    pub agent: Arc<Agent>,
    /// What its session said before it.
    pub history: Vec<Arc<Message>>,
    /// Its events.
    pub events: Vec<Event>,
    head: Digest,
}

impl ReadRun {
    /// Reads and verifies the journal of a run.
    ///
    /// # Errors
    /// If the journal is damaged, cut or cannot be read, or the store fails.
    pub async fn read(store: &dyn Store, agents: &dyn Agents, run: &RunId) -> Result<Self, LoadError> {
        let (row, events) = Self::row_and_events(store, run).await?;
        let Some(EventKind::RunAccepted(accepted)) = events.first().map(|event| &event.kind) else {
            return Err(LoadError::Unknown(run.clone()));
        };
        let agent = agent_of(store, agents, &accepted.spec).await?;
        let history = session_history(store, agents, &accepted.spec, row.session_from).await?;
        Ok(Self { run: run.clone(), agent, history, events, head: row.head_hash })
    }

    /// The row of a run, and the events that it says there are. A run that another worker works on may grow between
    /// two looks: then both are read again.
    async fn row_and_events(store: &dyn Store, run: &RunId) -> Result<(RunRow, Vec<Event>), LoadError> {
        let row = async || match store.run(run.clone()).await? {
            Some(listed) => Ok(listed.row),
            None => Err(LoadError::Unknown(run.clone())),
        };
        let mut before = row().await?;
        loop {
            let (events, seq, head) = read_events(store, run, None).await?;
            if (seq, head) == (before.head, before.head_hash) {
                return Ok((before, events));
            }
            let now = row().await?;
            if now.head == before.head {
                return Err(LoadError::Cut { run: run.clone(), journal: seq, row: now.head });
            }
            before = now;
        }
    }

    /// Reads results that are artifacts back into the events, for views that show them whole.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn with_artifacts(mut self, store: &dyn Store) -> Result<Self, Fault> {
        for event in &mut self.events {
            if let EventKind::ActionEnded(ended) = &mut event.kind
                && ended.result.artifact().is_some()
            {
                ended.result = whole(store, &ended.result).await?;
            }
        }
        Ok(self)
    }
}

impl LoadedRun {
    /// Reads, verifies and folds a run.
    ///
    /// # Errors
    /// If the journal is damaged, cut or cannot be read, or the store fails.
    pub async fn load(store: &dyn Store, agents: &dyn Agents, run: &RunId) -> Result<Self, LoadError> {
        let ReadRun { agent, history, events, head, .. } = ReadRun::read(store, agents, run).await?;
        let (taken, active_ms, worker) = (taken(&events), active_ms(&events), worker(&events));
        let mut state = RunState::fold(agent, history, &events)?;
        state.today = agents.today(&state.spec.agent);
        Ok(Self { state, head, taken, active_ms, worker })
    }
}

/// Reads and verifies the events of a run, up to one if it is given.
pub(super) async fn read_events(
    store: &dyn Store,
    run: &RunId,
    upto: Option<Seq>,
) -> Result<(Vec<Event>, Seq, Digest), LoadError> {
    let (mut events, mut at) = (Vec::new(), (Seq(0), Digest::ZERO));
    loop {
        let mut page: Vec<Record> = store.journal(run.clone(), at.0, PAGE).await?;
        let full = page.len() == PAGE;
        page.retain(|record| upto.is_none_or(|upto| record.seq <= upto));
        let cut = upto.is_some_and(|upto| at.0.plus(page.len()) >= upto);
        at = provost_engine::verify(run, at, &page)
            .map_err(|source| LoadError::Damaged { run: run.clone(), source })?;
        for record in &page {
            events.push(Event::from_record(record)?);
        }
        if !full || cut {
            return Ok((events, at.0, at.1));
        }
    }
}

/// The last signal that a journal names.
fn taken(events: &[Event]) -> SignalId {
    let named = events.iter().filter_map(|event| match &event.kind {
        EventKind::SignalTaken(taken) => Some(taken.signal),
        EventKind::WaitSettled(settled) => settled.signal,
        _ => None,
    });
    named.max().unwrap_or_default()
}

fn worker(events: &[Event]) -> Option<WorkerId> {
    events.iter().rev().find_map(|event| match &event.kind {
        EventKind::RunClaimed(claimed) => Some(claimed.worker.clone()),
        _ => None,
    })
}

fn active_ms(events: &[Event]) -> u64 {
    let noted = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::ModelRequested(requested) => Some(requested.active_ms),
        _ => None,
    });
    noted.unwrap_or_default()
}

async fn agent_of(store: &dyn Store, agents: &dyn Agents, spec: &RunSpec) -> Result<Arc<Agent>, LoadError> {
    if let Some(agent) = agents.compiled(spec.compiled) {
        return Ok(agent);
    }
    let missing = || LoadError::AgentMissing { run: spec.run.clone(), digest: spec.compiled };
    let bytes = store.artifact(spec.compiled).await?.ok_or_else(missing)?;
    let stored: AgentSpec = serde_json::from_slice(&bytes).map_err(|_| missing())?;
    Agent::new(stored).map(Arc::new).map_err(|_| missing())
}

/// What the session of a run says before it. A run that waited for its session reads what was said when it
/// got it; its row says up to where.
async fn session_history(
    store: &dyn Store,
    agents: &dyn Agents,
    spec: &RunSpec,
    upto: Option<u64>,
) -> Result<Vec<Arc<Message>>, LoadError> {
    match &spec.session {
        Some(session) => session_transcript(store, agents, &session.id, upto.unwrap_or(session.from)).await,
        None => Ok(Vec::new()),
    }
}

/// Folds the transcript of a session up to an entry, run after run. No text is copied: it comes from the
/// journals that the entries name.
pub(crate) fn session_transcript<'a>(
    store: &'a dyn Store,
    agents: &'a dyn Agents,
    session: &'a SessionId,
    upto: u64,
) -> Boxed<'a, Result<Vec<Arc<Message>>, LoadError>> {
    Box::pin(async move {
        let mut messages: Vec<Arc<Message>> = Vec::new();
        for part in parts(store, session, upto).await? {
            match part {
                Part::Said(message) => messages.push(message),
                Part::Run { run, upto } => {
                    let (events, ..) = read_events(store, &run, Some(upto)).await?;
                    let Some(EventKind::RunAccepted(accepted)) = events.first().map(|event| &event.kind)
                    else {
                        continue;
                    };
                    let agent = agent_of(store, agents, &accepted.spec).await?;
                    let instructions = agent.spec.instructions.len();
                    let state = RunState::fold(agent, messages, &events)?;
                    messages = state.shown().messages().skip(instructions).cloned().collect();
                }
            }
        }
        Ok(messages)
    })
}

/// A part of a session: one run, or something that no run said.
enum Part {
    Run { run: RunId, upto: Seq },
    Said(Arc<Message>),
}

async fn parts(store: &dyn Store, session: &SessionId, upto: u64) -> Result<Vec<Part>, LoadError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut after = 0;
    loop {
        let entries = store.session_entries(session.clone(), after, PAGE).await?;
        let full = entries.len() == PAGE;
        for entry in entries.into_iter().filter(|entry| entry.no <= upto) {
            after = entry.no;
            match entry.source {
                EntrySource::Event { run, seq } => match parts.last_mut() {
                    Some(Part::Run { run: last, upto }) if *last == run => *upto = seq,
                    Some(_) | None => parts.push(Part::Run { run, upto: seq }),
                },
                EntrySource::Body(body) => {
                    if let Ok(message) = Message::parse(&body) {
                        parts.push(Part::Said(Arc::new(message)));
                    }
                }
            }
        }
        if !full || after >= upto {
            return Ok(parts);
        }
    }
}
