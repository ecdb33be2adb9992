//! The loop: the next step, what came of it, and again.

use std::sync::OnceLock;
use std::sync::atomic::AtomicI64;

use provost_contract::json::Object;
use provost_contract::{ContractError, canonical};
use serde_json::Value;

use super::in_flight::InFlight;
use super::recover::{RecoverError, recover};
use super::row::run_row;
use super::writer::Writer;
use super::{Host, Start};
use crate::RunId;
use crate::engine::decide::{RawCall, idempotency_key, recovered};
use crate::engine::project::{conversation_result, observed};
use crate::engine::{
    BudgetSpec, CallDeclared, Event, History, Kind, RunBroken, RunEnded, RunParked, RunResumed, RunState,
    RunStatus, Spec, Stage, Step, next,
};
use crate::port::{AppendError, Boxed, Epoch, Fault, FinishedRun, Journal, Seq};

/// A run that is over, or parked.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The state it is in.
    pub status: RunStatus,
    state: Box<RunState>,
    result: OnceLock<Result<Value, ContractError>>,
}

impl Finished {
    /// Its result record. Made when it is first asked for: it says everything several times, and not
    /// everybody wants it.
    ///
    /// # Errors
    /// When a record the host reported itself is none.
    pub fn result(&self) -> Result<&Value, ContractError> {
        self.result.get_or_init(|| conversation_result(&self.state)).as_ref().map_err(Clone::clone)
    }

    /// The same for whoever keeps it.
    ///
    /// # Errors
    /// When a record the host reported itself is none.
    pub fn into_result(self) -> Result<Value, ContractError> {
        self.result.into_inner().unwrap_or_else(|| conversation_result(&self.state))
    }

    /// Its transcript.
    pub fn messages(&self) -> &History {
        &self.state.history
    }
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Somebody gave the run what it cannot go on with; the run is closed, and can be reopened.
    #[error(transparent)]
    Broken(#[from] ContractError),
    /// What happened could not be written down; nothing was done that was not.
    #[error("the run stopped because its journal failed")]
    Journal(#[from] AppendError),
    /// Something the run needs could not be read or kept; it can be resumed.
    #[error("the run stopped because its storage failed")]
    Storage(#[from] Fault),
    /// The run cannot be read back.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// A program that the run started earlier still runs, and cannot be ended. Nothing was changed.
    #[error("{tool}: {reason}")]
    StillRuns {
        /// The tool that started it.
        tool: String,
        /// What runs, and why it cannot be ended.
        reason: String,
    },
    /// An event could not be written as JSON.
    #[error("an event cannot be written")]
    Encoding(#[from] serde_json::Error),
}

/// How to go on with a run.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// The caller's context, raw; without it, what the journal knows of it, which has no secrets.
    pub context: Option<Object>,
    /// Whether a run that stopped short of completion is taken up again.
    pub reopen: Reopen,
    /// Limits to change.
    pub budgets: Vec<BudgetSpec>,
}

/// What happens to a run that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reopen {
    /// It stays over, and its result is told again.
    #[default]
    No,
    /// Unless it is completed, what stopped it is lifted.
    Yes,
}

/// One run at work.
pub struct Run<'a> {
    pub(super) host: &'a Host,
    /// On the heap: many runs wait at once, and their futures hold each part several times.
    pub(super) state: Box<RunState>,
    /// The caller's context, raw.
    pub(super) context: Object,
    /// The same with the turn, as everybody who works for the turn gets it.
    pub(super) turn_context: Object,
    /// The calls of the turn with their raw parameters, until the turn is over.
    pub(super) raw: Vec<RawCall>,
    /// The token of the session's lock.
    pub(super) token: Option<String>,
    /// When the lock was taken or prolonged last.
    pub(super) locked_at_ms: AtomicI64,
    /// Executors at work.
    pub(super) in_flight: InFlight<'a>,
    pub(super) writer: Writer<'a>,
}

impl<'a> Run<'a> {
    /// Starts a run and works until it is over, or parked.
    ///
    /// # Errors
    /// When the journal fails, or somebody gave the run what it cannot go on with.
    pub async fn drive(
        host: &'a Host,
        journal: &'a dyn Journal,
        run: RunId,
        epoch: Epoch,
        start: Start,
    ) -> Result<Finished, RunError> {
        let run = Self::begin(host, journal, run, epoch, start)?;
        run.work_and_release().await
    }

    /// Apart from [`Self::drive`], whose future would keep the room of all this until the run is over.
    fn begin(
        host: &'a Host,
        journal: &'a dyn Journal,
        run: RunId,
        epoch: Epoch,
        start: Start,
    ) -> Result<Box<Self>, RunError> {
        let spec = Spec { run: run.to_string(), ..*start.spec };
        let mut writer = Writer::new(journal, run, epoch);
        let first = writer.write(host.clock.now_ms(), spec.into())?;
        let Some(state) = RunState::begin_with(&first, start.tools) else {
            return Err(ContractError::whole("invalid_run", "a run begins with its start").into());
        };
        let run = Self::new(host, Box::new(state), start.context, writer);
        run.tell(&first);
        Ok(run)
    }

    /// Goes on with a run: after a crash, when somebody answered what it was parked for, or when what
    /// stopped it is to be lifted. A run that is over, or still waits, only tells its result again.
    ///
    /// # Errors
    /// When the run cannot be read back, the journal fails, or somebody gave the run what it cannot go on
    /// with.
    pub async fn resume(
        host: &'a Host,
        journal: &'a dyn Journal,
        run: RunId,
        epoch: Epoch,
        resume: Resume,
    ) -> Result<Finished, RunError> {
        // On the heap: it is over when the work begins.
        let mut run = Box::pin(Self::take_up(host, journal, run, epoch, resume)).await?;
        if run.state.ended.is_some() {
            return Box::pin(run.told_again()).await;
        }
        run.work_and_release().await
    }

    /// Reads a run back, and goes on with it if it may.
    async fn take_up(
        host: &'a Host,
        journal: &'a dyn Journal,
        run: RunId,
        epoch: Epoch,
        resume: Resume,
    ) -> Result<Box<Self>, RunError> {
        let read = recover(journal, &run).await?;
        let context = resume.context.unwrap_or_else(|| read.state.kept_context());
        let writer = Writer::behind(journal, run, epoch, &read.last);
        let mut run = Self::new(host, read.state, context, writer);
        Box::pin(run.end_earlier()).await?;
        run.raw = run.state.batch.in_all().map(|call| run.known(&call.declared)).collect();
        let resumed = RunResumed { epoch: epoch.0, budgets: resume.budgets };
        match (run.state.ended, resume.reopen) {
            (Some(status), _) if status.is_parked() => run.go_on_if_answered(resumed).await?,
            (Some(RunStatus::Completed), _) | (Some(_), Reopen::No) => {}
            (None, _) | (Some(_), Reopen::Yes) => run.go_on(resumed).await?,
        }
        Ok(run)
    }

    /// Whether there is something for a parked run: an answer, a message, or the wish to stop it.
    ///
    /// # Errors
    /// When the run cannot be read back.
    pub async fn is_answered(
        host: &'a Host,
        journal: &'a dyn Journal,
        run: &RunId,
    ) -> Result<bool, RunError> {
        let read = recover(journal, run).await?;
        let context = read.state.kept_context();
        let writer = Writer::behind(journal, run.clone(), Epoch::NONE, &read.last);
        let run = Self::new(host, read.state, context, writer);
        Ok(!run.answers().await?.is_empty() || run.has_mail().await?)
    }

    /// On the heap: whoever awaits its work would keep the room of it several times.
    fn new(host: &'a Host, state: Box<RunState>, context: Object, writer: Writer<'a>) -> Box<Self> {
        Box::new(Self {
            host,
            turn_context: state.turn_context(&context),
            state,
            context,
            raw: Vec::new(),
            token: None,
            locked_at_ms: AtomicI64::new(0),
            in_flight: InFlight::default(),
            writer,
        })
    }

    /// A parked run goes on when there is something for it.
    async fn go_on_if_answered(&mut self, resumed: RunResumed) -> Result<(), RunError> {
        let answers = self.answers().await?;
        if answers.is_empty() && !self.has_mail().await? {
            return Ok(());
        }
        self.go_on(resumed).await?;
        // Whoever wants it stopped is heard before whoever lets something run.
        let answers = if self.state.stops.cancelled.is_none() { answers } else { Vec::new() };
        self.take_in_answers(answers).await
    }

    /// Nothing is begun, or begun again, that somebody wanted stopped while nobody worked on the run.
    async fn go_on(&mut self, resumed: RunResumed) -> Result<(), RunError> {
        self.record(resumed.into())?;
        Box::pin(self.hear_cancel()).await
    }

    /// A call as this process knows it, or else as the journal does. Only the arguments that were asked
    /// about are those of the call.
    fn known(&self, call: &CallDeclared) -> RawCall {
        let key = idempotency_key(&self.state, call);
        let kept = self.host.secrets.find(&key);
        let kept = kept.filter(|kept| canonical::object_hash(kept.parameters()) == call.raw_sha256());
        kept.unwrap_or_else(|| recovered(&self.state, &self.turn_context, call))
    }

    /// A run that waits keeps what it cannot read back; one that is over keeps nothing.
    fn keep_secrets(&self) {
        self.host.secrets.forget(&self.state.spec.run);
        for (place, call) in self.state.batch.in_stage(Stage::Waiting) {
            let raw = self.raw.get(place).filter(|_| call.declared.kept_parameters().is_none());
            if let Some(raw) = raw.filter(|raw| raw.prepared.is_some()) {
                self.host.secrets.keep(idempotency_key(&self.state, &call.declared), raw.clone());
            }
        }
    }

    async fn work_and_release(mut self: Box<Self>) -> Result<Finished, RunError> {
        let done = self.work().await;
        self.in_flight.stop_all();
        match done {
            // It is not over, and nobody knows how far it came: whoever resumes it takes the session again.
            Err(RunError::Journal(_) | RunError::Storage(_) | RunError::StillRuns { .. }) => {}
            Ok(_) | Err(RunError::Broken(_) | RunError::Recover(_) | RunError::Encoding(_)) => {
                self.release().await;
            }
        }
        done
    }

    async fn work(&mut self) -> Result<Finished, RunError> {
        loop {
            let kinds = match next(&self.state) {
                Step::Done => return self.finished(),
                Step::Finish(status) => match Box::pin(self.finish(status)).await? {
                    Some(finished) => return finished,
                    None => continue,
                },
                Step::Record(kinds) => kinds,
                step => match self.perform(step).await {
                    Err(RunError::Broken(error)) => vec![broken(&error)],
                    kinds => kinds?,
                },
            };
            for kind in kinds {
                let kind = self.with_process(self.diagnosed(kind).await);
                self.record(kind)?;
            }
        }
    }

    /// Writes an event, takes it in, and tells who watches.
    pub(super) fn record(&mut self, kind: Kind) -> Result<(), RunError> {
        let event = self.take_in(kind)?;
        self.tell(&event);
        Ok(())
    }

    fn take_in(&mut self, kind: Kind) -> Result<Event, RunError> {
        let event = self.writer.write(self.host.clock.now_ms(), kind)?;
        self.state.apply(&event);
        Ok(event)
    }

    /// Makes durable what was recorded so far. Lists learn of a run when it begins to work and when it
    /// stops, not of every step.
    pub(super) async fn flush(&mut self) -> Result<(), RunError> {
        if let Some(append) = self.append() {
            let head = append.await?;
            self.writer.appended(head);
        }
        Ok(())
    }

    /// Apart from [`Self::flush`], whose future would keep the room of all this. None when all is durable.
    fn append(&mut self) -> Option<Boxed<'a, Result<Seq, AppendError>>> {
        if !self.writer.has_news() {
            return None;
        }
        let head = self.writer.head();
        let row = self.writer.changes_row(self.state.ended.is_some());
        let row = row.then(|| run_row(&self.writer.run, &self.state, head, self.host.clock.now_ms()));
        Some(self.writer.append(row))
    }

    fn tell(&self, event: &Event) {
        let Some(sink) = &self.host.sink else { return };
        for told in observed(&self.state, &event.kind) {
            // A watcher that fails changes nothing.
            drop(sink.emit(&told));
        }
    }

    /// The end is durable before anybody hears of it. None when something came up that lets the run go on.
    async fn finish(&mut self, status: RunStatus) -> Result<Option<Result<Finished, RunError>>, RunError> {
        let answers = if status.is_parked() { self.answers().await? } else { Vec::new() };
        if !answers.is_empty() {
            self.take_in_answers(answers).await?;
            return Ok(None);
        }
        if self.hear().await? {
            return Ok(None);
        }
        let stopped: Kind =
            if status.is_parked() { RunParked { status }.into() } else { RunEnded { status }.into() };
        let stopped = self.take_in(stopped)?;
        self.flush().await?;
        self.keep_secrets();
        let finished = self.finished();
        if let Ok(finished) = &finished
            && Box::pin(self.still_holds_session()).await
        {
            self.persist(finished).await;
        }
        self.tell(&stopped);
        Ok(Some(finished))
    }

    /// A run that is over, or still waits. If its process died before it let go of the session, the
    /// transcript may not have been kept; once it let go, other runs may have added to it.
    async fn told_again(&mut self) -> Result<Finished, RunError> {
        let finished = self.finished()?;
        if self.reclaims_session().await {
            self.persist(&finished).await;
            self.release().await;
        }
        Ok(finished)
    }

    /// Takes hold again of a session the dead process held; true also where nobody locks sessions.
    async fn reclaims_session(&mut self) -> bool {
        let (Some(lock), Some(session)) = (&self.host.lock, &self.state.spec.session) else { return true };
        let reclaimed = lock.reclaim(&session.id, &self.state.spec.run, session.lock_ttl_seconds).await;
        self.token = reclaimed.unwrap_or_default();
        self.token.is_some()
    }

    fn finished(&self) -> Result<Finished, RunError> {
        if let Some(broken) = &self.state.stops.broken {
            let error = ContractError::with_message(broken.code.clone(), &*broken.message);
            return Err(broken.fields.iter().fold(error, |error, field| error.about(field)).into());
        }
        let status = self.state.ended.unwrap_or(RunStatus::Failed);
        Ok(Finished { status, state: self.state.clone(), result: OnceLock::new() })
    }

    /// A run that could not take its session did no work: there is nothing to keep.
    async fn persist(&self, finished: &Finished) {
        let Some(persister) = self.host.persister.as_ref().filter(|_| self.state.stops.contended.is_none())
        else {
            return;
        };
        let Ok(result) = finished.result() else { return };
        let run = FinishedRun {
            session: self.session(),
            messages: &self.state.history,
            max_turns: self.state.spec.max_turns,
            result,
        };
        drop(persister.persist(run).await);
    }

    pub(super) fn session(&self) -> Option<&str> {
        self.state.spec.session.as_ref().map(|session| session.id.as_str())
    }

    async fn release(&mut self) {
        if let (Some(lock), Some(session), Some(token)) =
            (&self.host.lock, &self.state.spec.session, self.token.take())
        {
            // What is not released lapses by itself.
            drop(lock.release(&session.id, &token).await);
        }
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.in_flight.stop_all();
        if let Some(executors) = &self.host.executors {
            executors.release(&self.state.spec.run);
        }
    }
}

fn broken(error: &ContractError) -> Kind {
    RunBroken {
        code: error.code().to_owned(),
        message: error.message().to_owned(),
        fields: error.field_paths().to_vec(),
    }
    .into()
}
