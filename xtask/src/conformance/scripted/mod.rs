//! A host made of scripts: every part answers what a case lists, in order, and remembers what it was asked.

mod executor;
mod hooks;
mod model;
mod second;
mod session;

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::Object;
use provost_runtime::driver::{ContinueBy, Executors, Finished, Host, Run, RunError, Start};
use provost_runtime::engine::project::{conversation_result, observed};
use provost_runtime::engine::{Chain, Event, RunState, decode};
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{Epoch, Journal as _, Observed, Record, Seq};
use provost_runtime::{RunId, RunIdError};
use serde_json::{Value, json};

use super::areas::wait;

pub(super) use executor::ScriptedExecutor;
pub(super) use hooks::{
    ScriptedCompletion, ScriptedContinue, ScriptedDiagnostics, ScriptedInterrupts, ScriptedMediator,
    ScriptedSummariser,
};
pub(super) use model::{Protocol, ScriptedModel};
pub(super) use second::choose;
pub(super) use session::{ScriptedLock, ScriptedPersister, ScriptedSink};

const RUN: &str = "run_scripted";

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

/// A run over a journal in memory, on a clock that stands still.
pub(super) struct Stage {
    pub(super) clock: Arc<ManualClock>,
    pub(super) journal: Arc<Storage>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self { clock: Arc::new(ManualClock::at(1_780_000_000_000)), journal: Storage::new() }
    }

    /// Drives a run to its end. Its journal, folded from scratch, must show the same; what was told to
    /// `sink` is compared when it was told anything.
    pub(super) fn drive(
        &self,
        host: &Host,
        messages: &[Value],
        options: &Object,
        sink: &ScriptedSink,
    ) -> Result<Value, Value> {
        if second::is_chosen() {
            return second::drive(&self.clock, host, messages, options);
        }
        let finished = self.drive_once(host, messages, options)?;
        let run = RUN
            .parse()
            .map_err(|error: RunIdError| json!({ "code": "invalid_run", "message": error.to_string() }))?;
        let records = wait(self.journal.read(&run, Seq::FIRST, usize::MAX));
        let records = records.map_err(|error| json!({ "code": "journal", "message": error.to_string() }))?;
        replay_difference(&records, &finished, &sink.events.asked())
            .map_err(|difference| json!({ "code": "replay_differs", "message": difference }))?;
        Ok(finished.result()?.clone())
    }

    fn drive_once(&self, host: &Host, messages: &[Value], options: &Object) -> Result<Finished, Value> {
        let start = Start::read(messages, options, host)?;
        let run = RUN
            .parse()
            .map_err(|error: RunIdError| json!({ "code": "invalid_run", "message": error.to_string() }))?;
        let driven = wait(Run::drive(host, &*self.journal, run, Epoch::NONE, start));
        driven.map_err(|error| match error {
            RunError::Broken(error) => error.to_value(),
            RunError::Journal(_)
            | RunError::Storage(_)
            | RunError::Recover(_)
            | RunError::StillRuns { .. }
            | RunError::Encoding(_) => {
                json!({ "code": "journal", "message": error.to_string() })
            }
        })
    }
}

/// Folds the journal of a run from its first record and says how its views differ from those of the live
/// run: its result, and what watchers were told.
fn replay_difference(records: &[Record], finished: &Finished, told: &[Value]) -> Result<(), String> {
    let run: RunId = RUN.parse().map_err(|error: RunIdError| error.to_string())?;
    Chain::start(&run).verify(&run, records).map_err(|error| error.to_string())?;
    let events: Vec<Event> =
        records.iter().map(decode).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let mut replayed = Vec::new();
    let (first, others) = events.split_first().ok_or("nothing was journalled")?;
    let mut state = RunState::begin(first).ok_or("the journal does not begin with a start")?;
    replayed.extend(observed(&state, &first.kind));
    for event in others {
        state.apply(event);
        replayed.extend(observed(&state, &event.kind));
    }
    let result = conversation_result(&state).map_err(|error| error.to_string())?;
    if finished.result().ok() != Some(&result) {
        return Err(format!("folded, the result is {result}"));
    }
    let replayed: Vec<Value> = replayed.iter().map(Observed::to_value).collect();
    if !told.is_empty() && replayed != told {
        return Err(format!("folded, watchers are told {replayed:?}"));
    }
    Ok(())
}

/// The executors of a host that has one for every tool.
pub(super) fn executors(executor: &Arc<ScriptedExecutor>) -> Executors {
    Executors::new(executor.clone())
}

/// Who continues, by a script, by nobody, or by the engine.
pub(super) fn continue_by(script: Option<&Arc<ScriptedContinue>>) -> ContinueBy {
    script.map_or(ContinueBy::Calls, |script| ContinueBy::Policy(script.clone()))
}
