//! The edge to code that is not ours: it may take too long, and it may panic.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use provost_policy::HookFailure;

use crate::port::{Clock, ExecutorError, ModelError};

/// Why somebody gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Silent {
    /// It took longer than this.
    #[error("no answer within {ms} ms")]
    TimedOut { ms: u64 },
    /// It panicked, with these words.
    #[error("it panicked: {0}")]
    Panicked(String),
}

impl From<Silent> for ModelError {
    fn from(silent: Silent) -> Self {
        let kind = match silent {
            Silent::TimedOut { .. } => "timed_out",
            Silent::Panicked(_) => "panicked",
        };
        Self::new(kind, silent.to_string())
    }
}

impl From<Silent> for ExecutorError {
    fn from(silent: Silent) -> Self {
        match silent {
            Silent::TimedOut { ms } => Self::TimedOut { ms },
            Silent::Panicked(_) => Self::Failed(format!("The tool broke: {silent}")),
        }
    }
}

impl From<Silent> for HookFailure {
    fn from(silent: Silent) -> Self {
        match silent {
            Silent::TimedOut { .. } => Self::TimedOut,
            Silent::Panicked(_) => Self::Failed,
        }
    }
}

/// Waits for an answer, so many milliseconds at most. A panic stays inside. What is late is dropped, and
/// with it whatever it was doing.
pub(super) async fn within<T>(
    clock: &dyn Clock,
    ms: u64,
    answer: impl Future<Output = T>,
) -> Result<T, Silent> {
    let end = clock.now_ms().saturating_add_unsigned(ms);
    tokio::select! {
        biased;
        answer = AssertUnwindSafe(answer).catch_unwind() => answer.map_err(|panic| Silent::Panicked(words(&*panic))),
        // Most answers are there at once: nothing is set up to wake us until one is not.
        () = async { clock.sleep_until(end).await } => Err(Silent::TimedOut { ms }),
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
}
