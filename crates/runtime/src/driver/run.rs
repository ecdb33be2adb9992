//! The loop: the next step, what came of it, and again.

use provost_contract::ContractError;
use provost_contract::json::Object;
use serde_json::Value;

use super::writer::Writer;
use super::{Host, Start};
use crate::RunId;
use crate::engine::decide::RawCall;
use crate::engine::project::{conversation_result, observed};
use crate::engine::{Event, Kind, RunBroken, RunEnded, RunState, RunStatus, Spec, Step, next};
use crate::port::{AppendError, Epoch, FinishedRun, Journal};

/// A run that is over, or parked.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The state it is in.
    pub status: RunStatus,
    /// Its result record.
    pub result: Value,
}

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Somebody gave the run what it cannot go on with; the run is closed.
    #[error(transparent)]
    Broken(#[from] ContractError),
    /// What happened could not be written down; nothing was done that was not.
    #[error("the run stopped because its journal failed")]
    Journal(#[from] AppendError),
    /// An event could not be written as JSON.
    #[error("an event cannot be written")]
    Encoding(#[from] serde_json::Error),
}

/// One run at work.
pub struct Run<'a> {
    pub(super) host: &'a Host,
    pub(super) state: RunState,
    /// The caller's context, raw.
    pub(super) context: Object,
    /// The calls of the turn with their raw parameters, until the turn is over.
    pub(super) raw: Vec<RawCall>,
    /// The token of the session's lock.
    pub(super) token: Option<String>,
    writer: Writer<'a>,
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
        let spec = Spec { run: run.to_string(), ..start.spec };
        let mut writer = Writer::new(journal, run, epoch);
        let first = writer.write(host.clock.now_ms(), spec.into())?;
        let Some(state) = RunState::begin(&first) else {
            return Err(ContractError::whole("invalid_run", "a run begins with its start").into());
        };
        let mut run = Self { host, state, context: start.context, raw: Vec::new(), token: None, writer };
        run.tell(&first);
        let done = run.work().await;
        run.release().await;
        done
    }

    async fn work(&mut self) -> Result<Finished, RunError> {
        loop {
            let kinds = match next(&self.state) {
                Step::Done => return self.finished(),
                Step::Finish(status) => return self.finish(status).await,
                Step::Record(kinds) => kinds,
                step => match self.perform(step).await {
                    Err(RunError::Broken(error)) => vec![broken(&error)],
                    kinds => kinds?,
                },
            };
            for kind in kinds {
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

    /// Makes durable what was recorded so far.
    pub(super) async fn flush(&mut self) -> Result<(), RunError> {
        self.writer.flush().await
    }

    fn tell(&self, event: &Event) {
        let Some(sink) = &self.host.sink else { return };
        for told in observed(&self.state, &event.kind) {
            // A watcher that fails changes nothing.
            drop(sink.emit(&told));
        }
    }

    /// The end is durable before anybody hears of it.
    async fn finish(&mut self, status: RunStatus) -> Result<Finished, RunError> {
        let ended = self.take_in(RunEnded { status }.into())?;
        self.flush().await?;
        let finished = self.finished();
        if let Ok(finished) = &finished {
            self.persist(finished).await;
        }
        self.tell(&ended);
        finished
    }

    fn finished(&self) -> Result<Finished, RunError> {
        if let Some(broken) = &self.state.stops.broken {
            let error = ContractError::with_message(broken.code.clone(), &*broken.message);
            return Err(broken.fields.iter().fold(error, |error, field| error.about(field)).into());
        }
        let status = self.state.ended.unwrap_or(RunStatus::Failed);
        Ok(Finished { status, result: conversation_result(&self.state)? })
    }

    /// A run that could not take its session did no work: there is nothing to keep.
    async fn persist(&self, finished: &Finished) {
        let Some(persister) = self.host.persister.as_ref().filter(|_| self.state.stops.contended.is_none())
        else {
            return;
        };
        let run = FinishedRun {
            session: self.session(),
            messages: &self.state.history,
            max_turns: self.state.spec.max_turns,
            result: &finished.result,
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

fn broken(error: &ContractError) -> Kind {
    RunBroken {
        code: error.code().to_owned(),
        message: error.message().to_owned(),
        fields: error.field_paths().to_vec(),
    }
    .into()
}
