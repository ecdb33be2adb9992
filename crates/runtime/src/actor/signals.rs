//! Reading what was sent to a run from outside.

use provost_engine::event::Signal;
use provost_engine::{Input, QueuedSignal, SignalId};

use super::patience::patiently;
use super::run::{ActorError, RunActor};

/// How many signals are read at a time.
const SIGNALS: usize = 256;

impl RunActor {
    /// Reads the signals that wait.
    pub(super) async fn take_signals(&mut self) -> Result<(), ActorError> {
        let mut after: SignalId = self.loaded.taken;
        for input in &self.inputs {
            if let Input::Signals(signals) = input {
                after = after.max(signals.last().map(|signal| signal.id).unwrap_or_default());
            }
        }
        loop {
            let run = self.state().spec.run.clone();
            let page = patiently(|| self.shared.store.signals(run.clone(), after, SIGNALS)).await?;
            let full = page.len() == SIGNALS;
            let Some(last) = page.last().map(|signal| signal.id) else { return Ok(()) };
            let signals = page.into_iter().map(|signal| QueuedSignal {
                id: signal.id,
                from: signal.from,
                body: readable(signal.body),
            });
            self.inputs.push(Input::Signals(signals.collect()));
            after = last;
            if !full {
                return Ok(());
            }
        }
    }
}

/// A signal as the engine reads it. One that cannot be read is a message that changes nothing.
fn readable(body: Option<serde_json::Value>) -> Signal {
    let unreadable = || Signal::External { name: "unreadable".into(), payload: serde_json::Value::Null };
    body.and_then(|body| serde_json::from_value(body).ok()).unwrap_or_else(unreadable)
}
