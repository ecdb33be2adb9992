//! The doors to runs: accept, say, answer, decide, cancel, resume. Each is one transaction of the store, so
//! that a repeat is a no-op and two callers cannot disagree.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_engine::event::{
    Answer, Choice, DeclarationAccepted, Event, EventKind, MessageMode, RunAccepted, RunSpec, SessionFrom,
    Signal,
};
use provost_engine::{
    ActionId, Actor, Agent, AnswerPost, Dedupe, Digest, Epoch, NewRun, RunId, Seq, SessionEntry, SessionId,
    SessionTake, SignalPost, Time, WaitId, WhenBusy,
};
use serde_json::json;

use crate::actor::Shared;
use crate::port::Fault;
use crate::store::{
    AcceptError, Accepted, AnswerError, Answered, PostError, Posted, ResumeError, Said, SayError, SayPost,
};

/// How often a start is tried again when its session changes meanwhile.
const TRIES: usize = 16;

/// Why a run was not started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store did not accept it.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// The message could not be passed on.
    #[error(transparent)]
    Say(#[from] SayError),
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
    /// The request cannot be written as JSON.
    #[error("the request cannot be written")]
    Encode(#[from] serde_json::Error),
}

/// A run to begin.
#[derive(Clone, Debug)]
pub struct NewRunRequest {
    /// What it is asked to do. Its session is set from `session`.
    pub spec: RunSpec,
    /// The agent it obeys.
    pub agent: Arc<Agent>,
    /// The declaration of a run without a model.
    pub declaration: Option<DeclarationAccepted>,
    /// The session it belongs to, and what happens when another run is active there.
    pub session: Option<(SessionId, WhenBusy)>,
    /// The queue it waits in; empty is the default one.
    pub queue: String,
    /// Lower numbers are claimed first.
    pub priority: i32,
    /// Not claimed before this time.
    pub not_before: Option<Time>,
    /// Makes a repeated request answer with the run it made the first time.
    pub key: Option<String>,
    /// Who asks.
    pub by: Actor,
}

impl NewRunRequest {
    /// Returns a request for a run of an agent, with defaults for everything else.
    pub fn new(spec: RunSpec, agent: Arc<Agent>, by: Actor) -> Self {
        Self {
            spec,
            agent,
            declaration: None,
            session: None,
            queue: String::new(),
            priority: 0,
            not_before: None,
            key: None,
            by,
        }
    }
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SayOutcome {
    /// It is in the queue of the session's active run.
    Joined(RunId),
    /// It began a run.
    Began(RunId),
}

impl SayOutcome {
    /// Returns the run that has the message.
    pub fn run(&self) -> &RunId {
        match self {
            Self::Joined(run) | Self::Began(run) => run,
        }
    }
}

/// The doors to the runs of a store. Cheap to clone.
#[derive(Clone)]
pub struct Doors {
    shared: Arc<Shared>,
}

impl Doors {
    /// Returns the doors of a store.
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Makes a run durable, as `queued`, before it answers.
    ///
    /// # Errors
    /// If the key was used for another request, the session is busy or missing, or the store fails.
    pub async fn accept(&self, request: NewRunRequest) -> Result<Accepted, StartError> {
        let compiled = serde_json::to_vec(&request.agent.spec)?;
        self.shared.store.put_artifact("application/json".into(), compiled).await?;
        for _ in 0..TRIES {
            let new = self.new_run(&request).await?;
            match self.shared.store.accept(new).await {
                Err(AcceptError::SessionChanged { .. }) => {}
                accepted => return Ok(accepted?),
            }
        }
        let new = self.new_run(&request).await?;
        Ok(self.shared.store.accept(new).await?)
    }

    async fn new_run(&self, request: &NewRunRequest) -> Result<NewRun, StartError> {
        let mut spec = request.spec.clone();
        spec.compiled = request.agent.digest;
        let take = match &request.session {
            None => None,
            Some((session, busy)) => Some(self.take(session, *busy, &mut spec).await?),
        };
        let (run, now) = (spec.run.clone(), Time(self.shared.clock.now_ms()));
        let digest = request_digest(&request.spec)?;
        let accepted = event(Seq(1), now, &request.by, RunAccepted { spec: Arc::new(spec.clone()) });
        let mut records = vec![accepted.to_record(&run, Digest::ZERO)?];
        if let Some(declaration) = &request.declaration {
            let previous = records.first().map_or(Digest::ZERO, |record| record.hash);
            records.push(event(Seq(2), now, &request.by, declaration.clone()).to_record(&run, previous)?);
        }
        let parent = spec.parent.as_ref();
        Ok(NewRun {
            root: parent.map_or_else(|| run.clone(), |parent| parent.root.clone()),
            parent: parent.map(|parent| parent.run.clone()),
            workspace: spec.workspace.clone(),
            agent: spec.agent.clone(),
            agent_digest: request.agent.digest,
            queue: request.queue.clone(),
            priority: request.priority,
            not_before: request.not_before,
            records,
            summary: json!({ "mode": spec.mode, "labels": spec.labels }),
            session: take,
            dedupe: request.key.clone().map(|key| Dedupe { key, request: digest }),
            artifacts: vec![request.agent.digest],
            run,
        })
    }

    async fn take(
        &self,
        session: &SessionId,
        busy: WhenBusy,
        spec: &mut RunSpec,
    ) -> Result<SessionTake, StartError> {
        let row = self.shared.store.session(session.clone()).await?;
        let row = row.ok_or_else(|| AcceptError::SessionMissing(session.clone()))?;
        spec.session = Some(SessionFrom { id: session.clone(), from: row.head });
        let entries = match spec.input.is_empty() {
            true => Vec::new(),
            false => vec![SessionEntry { seq: Seq(1), kind: "run_accepted".into() }],
        };
        Ok(SessionTake { session: session.clone(), version: row.version, busy, entries })
    }

    /// Says something in a session: to its active run, or by beginning one.
    ///
    /// # Errors
    /// If the session does not exist, or the store fails.
    pub async fn say(
        &self,
        session: &SessionId,
        message: Message,
        mode: MessageMode,
        begin: NewRunRequest,
    ) -> Result<SayOutcome, StartError> {
        let message = Arc::new(message);
        let mut request = begin;
        request.session = Some((session.clone(), WhenBusy::Refuse));
        request.spec.input.push(message.clone());
        let digest = request_digest(&request.spec)?;
        let post = SayPost {
            session: session.clone(),
            dedupe: request.key.clone().map(|key| Dedupe { key, request: digest }),
            from: request.by.clone(),
            body: serde_json::to_value(Signal::Message { message, mode, leaves_doubt: false })?,
        };
        for _ in 0..TRIES {
            match self.shared.store.say(post.clone()).await? {
                Said::Posted { run, .. } | Said::Repeated { run } => return Ok(SayOutcome::Joined(run)),
                Said::Idle { .. } => {}
            }
            match self.accept(request.clone()).await {
                Err(StartError::Accept(AcceptError::SessionBusy { .. })) => {}
                accepted => return Ok(SayOutcome::Began(accepted?.run)),
            }
        }
        match self.shared.store.say(post).await? {
            Said::Posted { run, .. } | Said::Repeated { run } => Ok(SayOutcome::Joined(run)),
            Said::Idle { .. } => Err(StartError::Storage(Fault::Busy {
                waited_ms: 0,
                holder: "other runs of the session".into(),
            })),
        }
    }

    /// Answers a wait. The first answer counts.
    ///
    /// # Errors
    /// If the wait is answered or settled already, the actor may not answer, or the answer is about something
    /// else than what was asked.
    pub async fn answer(&self, wait: &WaitId, answer: &Answer, by: Actor) -> Result<Answered, AnswerError> {
        self.answer_sealed(wait, answer, by, Vec::new()).await
    }

    /// Answers a wait with changed arguments that have secrets, which are sealed in the same transaction.
    ///
    /// # Errors
    /// Like [`answer`](Self::answer).
    pub async fn answer_sealed(
        &self,
        wait: &WaitId,
        answer: &Answer,
        by: Actor,
        sealed: Vec<(ActionId, Vec<u8>)>,
    ) -> Result<Answered, AnswerError> {
        let binding = match answer {
            Answer::Verdicts { binding, .. } => Some(*binding),
            Answer::Again { .. }
            | Answer::Leave { .. }
            | Answer::Happened { .. }
            | Answer::Result { .. }
            | Answer::Expired => None,
        };
        let value = serde_json::to_value(answer).unwrap_or_default();
        self.shared.store.answer(AnswerPost { wait: wait.clone(), by, binding, answer: value, sealed }).await
    }

    /// Decides about an action that ended without completing.
    ///
    /// # Errors
    /// If the run does not exist or is over.
    pub async fn decide(
        &self,
        run: &RunId,
        (action, choice): (ActionId, Choice),
        reason: &str,
        by: Actor,
    ) -> Result<Posted, PostError> {
        self.post(run, Signal::Decide { action, choice, reason: reason.into() }, by, None).await
    }

    /// Cancels a run, or some of its actions.
    ///
    /// # Errors
    /// If the run does not exist or is over.
    pub async fn cancel(
        &self,
        run: &RunId,
        actions: Option<Vec<ActionId>>,
        reason: &str,
        by: Actor,
    ) -> Result<Posted, PostError> {
        self.post(run, Signal::Cancel { actions, reason: reason.into() }, by, None).await
    }

    /// Posts a signal to a run.
    ///
    /// # Errors
    /// If the run does not exist or is over.
    pub async fn post(
        &self,
        run: &RunId,
        signal: Signal,
        from: Actor,
        key: Option<String>,
    ) -> Result<Posted, PostError> {
        let body = serde_json::to_value(&signal).unwrap_or_default();
        self.shared.store.post(SignalPost { run: run.clone(), key, from, body }).await
    }

    /// Takes an ended run up again, with raised budgets.
    ///
    /// # Errors
    /// If it completed, was cancelled or was delegated, or its session went on without it.
    pub async fn resume(
        &self,
        run: &RunId,
        budgets: BTreeMap<String, u64>,
        reason: &str,
        from: Actor,
    ) -> Result<Posted, ResumeError> {
        let signal = Signal::Resume { budgets, reason: reason.into(), declaration: None };
        let body = serde_json::to_value(&signal).unwrap_or_default();
        self.shared.store.resume(SignalPost { run: run.clone(), key: None, from, body }).await
    }
}

impl Doors {
    /// Takes an ended run up again with a declaration about its actions, in one step.
    ///
    /// # Errors
    /// Like [`resume`](Self::resume).
    pub async fn resume_with(
        &self,
        run: &RunId,
        declaration: provost_engine::event::Declaration,
        from: Actor,
    ) -> Result<Posted, ResumeError> {
        let declaration = Some(Box::new(declaration));
        let signal = Signal::Resume { budgets: BTreeMap::new(), reason: String::new(), declaration };
        let body = serde_json::to_value(&signal).unwrap_or_default();
        self.shared.store.resume(SignalPost { run: run.clone(), key: None, from, body }).await
    }
}

fn event(seq: Seq, at: Time, by: &Actor, kind: impl Into<EventKind>) -> Event {
    Event { seq, at, epoch: Epoch(0), actor: by.clone(), kind: kind.into(), erased: false }
}

/// What a key of a request stands for: what the caller gave. The id of the run is part of the answer, and when the
/// request came or what its session said is not the caller's.
fn request_digest(spec: &RunSpec) -> serde_json::Result<Digest> {
    let mut request = serde_json::to_value(spec)?;
    let run = request.as_object_mut().and_then(|request| request.remove("run"));
    let context = request.get_mut("context").and_then(serde_json::Value::as_object_mut);
    if let Some(context) = context.filter(|context| context.get("run_id") == run.as_ref()) {
        context.remove("run_id");
    }
    Ok(Digest::of(&serde_json::to_vec(&request)?))
}
