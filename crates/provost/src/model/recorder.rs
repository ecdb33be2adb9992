//! A model that records its requests.

use std::sync::{Arc, Mutex, PoisonError};

use provost_runtime::port::{Boxed, Model, ModelError, Reservation, TurnAnswer, TurnRequest};

use super::Asked;

/// Forwards every turn to another model and records the request. Clones share the recording.
///
/// ```
/// use provost::{Recorder, Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = Recorder::new(Script::new().say("Yes."));
/// let runtime = Runtime::builder().model(recorder.clone()).build()?;
/// runtime.start("Is it so?").await?.outcome().await?;
/// assert_eq!(recorder.asked()[0].texts(), ["Is it so?"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder {
    model: Arc<dyn Model>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Recorder {
    /// Creates a recorder in front of a model.
    ///
    /// ```
    /// let recorder = provost::Recorder::new(provost::Script::new());
    /// assert!(recorder.asked().is_empty());
    /// ```
    pub fn new(model: impl Model + 'static) -> Self {
        Self { model: Arc::new(model), asked: Arc::default() }
    }

    /// Returns the requests so far, in order.
    ///
    /// ```
    /// assert_eq!(provost::Recorder::new(provost::Script::new()).asked().len(), 0);
    /// ```
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Model for Recorder {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        self.model.reserve(request)
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(Asked::of(&request));
        self.model.turn(request)
    }
}
