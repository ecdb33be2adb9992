//! The end of a run as its caller, its observers and its persister see it.

use provost_contract::{ContractError, Message};
use provost_engine::RunId;
use provost_engine::view::{self, Observed};
use serde_json::Value;
use std::sync::Arc;

use super::{Runs, RunsError};
use crate::actor::{LoadError, ReadRun};
use crate::dispatch::NewRunRequest;
use crate::engine::History;
use crate::port::{self, FinishedRun};

/// Why a run has no result record.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// It cannot be worked on or read here.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// What the host gave it cannot be gone on with.
    #[error(transparent)]
    Broken(#[from] ContractError),
}

impl Runs {
    /// Waits until a run rests or is over. Its observers see what happened, its persister gets the result,
    /// and the result record is returned. What observers and persister make of it changes nothing.
    ///
    /// # Errors
    /// If the run cannot be worked on or read, or the host gave it what it cannot go on with.
    pub async fn finish(&self, run: &RunId) -> Result<Value, FinishError> {
        let loaded = self.settled(run).await?;
        let read = ReadRun::read(&*self.store, &*self.agents, run).await.map_err(RunsError::from)?;
        let mediates = self.performer.host().executors.is_some();
        let observed = view::observer::observed(&read.agent, &read.history, &read.events, mediates);
        let observed = observed.map_err(|illegal| RunsError::from(LoadError::from(illegal)))?;
        if let Some(fault) = view::result::broken(&read.events) {
            self.show(&observed);
            let paths = fault.fields.get("fields").and_then(Value::as_array).into_iter().flatten();
            let error = ContractError::with_message(fault.code.clone(), &*fault.message);
            let error = paths.filter_map(Value::as_str).fold(error, |error, path| error.about(path));
            return Err(error.into());
        }
        let result = view::conversation_result(&read.agent, &read.history, &read.events)?;
        // An orderly end is announced when everything else is done.
        let ends = observed.last().is_some_and(|last| last.event == "completed");
        let (before, end) = observed.split_at(observed.len() - usize::from(ends));
        self.show(before);
        let session = loaded.state.spec.session.as_ref().map(|session| session.id.as_str());
        self.persist(session, loaded.state.spec.limits.turns.into(), &result).await;
        self.show(end);
        Ok(result)
    }

    /// Returns the result record of a run that was refused because another one is active in its session.
    ///
    /// # Errors
    /// If the request cannot be written.
    pub fn contended(&self, request: &NewRunRequest) -> Result<Value, FinishError> {
        let mediates = self.performer.host().executors.is_some();
        let session = request.session.as_ref().map(|(session, _)| session.as_str()).unwrap_or_default();
        self.show(&view::observer::contended(&request.agent, session, mediates));
        Ok(view::result::contended(&request.agent, &request.spec)?)
    }

    fn show(&self, observed: &[Observed]) {
        let Some(sink) = &self.performer.host().sink else { return };
        for Observed { event, payload } in observed {
            // An observer that fails changes nothing.
            drop(sink.emit(&port::Observed { event, payload: payload.clone() }));
        }
    }

    async fn persist(&self, session: Option<&str>, max_turns: u64, result: &Value) {
        let Some(persister) = &self.performer.host().persister else { return };
        let messages = result.get("messages").and_then(Value::as_array);
        let messages = Message::parse_many(messages.map_or(&[][..], Vec::as_slice)).unwrap_or_default();
        let messages: History = messages.into_iter().map(Arc::new).collect::<Vec<_>>().into();
        let run = FinishedRun { session, messages: &messages, max_turns, result };
        drop(persister.persist(run).await);
    }
}
