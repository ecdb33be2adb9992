//! The result record of a run that carries out a declaration, and what it means for the exit code.

use provost_engine::RunId;
use provost_engine::event::{EndStatus, Mode, ModelUse};
use provost_engine::view;
use provost_project::ProjectRuntime;
use provost_protocol::tokens::Bpe;
use provost_protocol::transcript::GraphStatus;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal::{self, Read};
use crate::screen::Screen;

/// How a run stands that asks no model.
pub(crate) struct Record {
    pub(crate) value: Value,
    pub(crate) exit: Exit,
}

/// Names the run, before anything of it is shown.
pub(crate) fn begins(screen: &Screen, run: &RunId) {
    if screen.is_json() {
        screen.document(&json!({ "type": "run", "run": run.as_str() }));
    }
}

/// Returns the record of a run that asks no model; none for every other run.
pub(crate) async fn of(setup: &ProjectRuntime, run: &RunId) -> Result<Option<Record>, Failure> {
    let read = journal::read(&**setup.runtime.store(), run).await?;
    if read.state.spec.model != ModelUse::None {
        return Ok(None);
    }
    Ok(Some(Record { value: value(&read)?, exit: exit(&read) }))
}

/// Returns the record of a run whose work is declared; none for a run of native calls.
pub(crate) fn declared(read: &Read) -> Option<Result<Value, Failure>> {
    (read.state.spec.mode == Mode::Protocol).then(|| value(read))
}

fn value(read: &Read) -> Result<Value, Failure> {
    let run = &read.run;
    let record = view::protocol_result(&run.agent, &run.history, &run.events, &Bpe);
    record.map_err(|error| Failure::of(Code::Journal, &error))
}

/// Who must answer comes before what failed.
fn exit(read: &Read) -> Exit {
    let state = &read.state;
    if state.ended.is_none() && !state.waits.is_empty() {
        return Exit::Waiting;
    }
    match (state.ended, view::graph_status(state)) {
        (Some(EndStatus::BudgetExceeded | EndStatus::Stalled), _) => Exit::Stopped,
        (_, GraphStatus::Canceled) => Exit::Cancelled,
        (_, GraphStatus::Completed) => Exit::Done,
        (_, GraphStatus::Failed | GraphStatus::Blocked) => Exit::Failed,
    }
}
