//! A host made of scripts: every part answers what a case lists, in order, and remembers what it was asked.

mod drive;
mod executor;
mod hooks;
mod model;
mod session;

use std::sync::{Arc, Mutex, PoisonError};

use provost_runtime::host::{ContinueBy, Executors};
use provost_runtime::system::ManualClock;
use serde_json::Value;

pub(super) use drive::{Around, drive};
pub(super) use executor::ScriptedExecutor;
pub(super) use hooks::{
    ScriptedCompletion, ScriptedContinue, ScriptedDiagnostics, ScriptedInterrupts, ScriptedMediator,
    ScriptedSummariser,
};
pub(super) use model::{Protocol, ScriptedModel};
pub(super) use session::{ScriptedLock, ScriptedPersister, ScriptedSink};

/// The answers of one part, in order, and what it was asked.
#[derive(Default)]
pub(super) struct Script {
    answers: Mutex<(usize, Vec<Value>)>,
    asked: Mutex<Vec<Value>>,
}

impl Script {
    pub(super) fn of(answers: &[Value]) -> Self {
        Self { answers: Mutex::new((0, answers.to_vec())), asked: Mutex::default() }
    }

    /// The next answer; none after the last.
    fn take(&self) -> Option<Value> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.1.get(answers.0).cloned();
        answers.0 += 1;
        answer
    }

    /// The next answer; the last one repeats.
    fn take_or_last(&self) -> Option<Value> {
        self.take().or_else(|| {
            let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.1.last().cloned()
        })
    }

    pub(super) fn note(&self, asked: Value) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
    }

    pub(super) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The text of an answer `{"throws": text}`.
fn thrown(answer: &Value) -> Option<String> {
    let thrown = answer.get("throws")?;
    let text = thrown.as_str().or_else(|| thrown.get("message").and_then(Value::as_str));
    Some(text.unwrap_or_default().to_owned())
}

/// A clock that stands still.
pub(super) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1_780_000_000_000))
}

/// The executors of a host that has one for every tool.
pub(super) fn executors(executor: &Arc<ScriptedExecutor>) -> Executors {
    Executors::new(executor.clone())
}

/// Who continues, by a script, by nobody, or by the engine.
pub(super) fn continue_by(script: Option<&Arc<ScriptedContinue>>) -> ContinueBy {
    script.map_or(ContinueBy::Calls, |script| ContinueBy::Policy(script.clone()))
}
