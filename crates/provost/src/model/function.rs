//! A model implemented by a function.

use std::sync::Arc;

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};

use super::{Answer, Asked};

type Turn = Arc<dyn Fn(Asked) -> Boxed<'static, Result<Answer, ModelError>> + Send + Sync>;

/// A model implemented by a function from request to response.
///
/// ```
/// use provost::{Answer, Asked, FnModel, Runtime};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shout = FnModel::new(|asked: Asked| async move { Ok(Answer::say(asked.last_text().to_uppercase())) });
/// let runtime = Runtime::builder().model(shout).build()?;
/// assert_eq!(runtime.start("hello").await?.outcome().await?.text(), "HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FnModel(Turn);

impl FnModel {
    /// Creates a model from a function.
    ///
    /// ```
    /// let silent = provost::FnModel::new(|_| async { Ok(provost::Answer::default()) });
    /// # drop(silent);
    /// ```
    pub fn new<F, W>(turn: F) -> Self
    where
        F: Fn(Asked) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Answer, ModelError>> + Send + 'static,
    {
        Self(Arc::new(move |asked| Box::pin(turn(asked))))
    }
}

impl Model for FnModel {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let (turn, hearing, answer) = (request.turn, request.hearing, (self.0)(Asked::of(&request)));
        Box::pin(async move { answer.await?.given(turn, hearing) })
    }
}
