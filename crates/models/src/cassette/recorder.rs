//! A model that is recorded.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use provost_runtime::port::{Boxed, Model, ModelError, Reservation, TurnAnswer, TurnRequest};

use super::entry::{Entry, Recorded};
use super::scrub::scrubbed;
use super::{Cassette, CassetteError, Origin, request};
use crate::{Forecast, Forecasts, Secret};

/// Writes down every turn of a model, failures included. The file is complete after each turn.
pub struct Recorder<M> {
    inner: M,
    path: PathBuf,
    secrets: Vec<Secret>,
    cassette: Mutex<Cassette>,
}

impl<M: Model> Recorder<M> {
    /// Records a model into a file, which is begun anew. The secrets never get into it.
    pub fn new(inner: M, path: PathBuf, secrets: Vec<Secret>) -> Self {
        Self { inner, path, secrets, cassette: Mutex::default() }
    }

    /// The same, when the words it will hold are not the words of a model.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.cassette = Mutex::new(Cassette::new(origin));
        self
    }

    /// A recording is made at a desk, a few turns a minute: writing the file here is no burden.
    fn keep(&self, entry: Entry) -> Result<(), CassetteError> {
        let mut cassette = self.cassette.lock().unwrap_or_else(PoisonError::into_inner);
        cassette.turns.push(scrubbed(entry, &self.secrets));
        cassette.write(&self.path)
    }
}

impl<M: Forecasts> Forecasts for Recorder<M> {
    fn forecast(&self, request: &TurnRequest<'_>) -> Option<Forecast> {
        self.inner.forecast(request)
    }
}

impl<M: Model> Model for Recorder<M> {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        self.inner.reserve(request)
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            let asked = request::compared(&request);
            let answer = self.inner.turn(request).await;
            let entry = Entry { request: asked, answer: Recorded::of(&answer) };
            // Who records wants the recording: a turn that is missing in it is a failure.
            self.keep(entry).map_err(|error| ModelError::new("cassette_unwritten", error.to_string()))?;
            answer
        })
    }
}

impl<M: Model + 'static> From<Recorder<M>> for Arc<dyn Model> {
    fn from(model: Recorder<M>) -> Self {
        Arc::new(model)
    }
}
