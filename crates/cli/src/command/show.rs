//! `provost show`: what a run did.

use std::path::Path;

use provost_project::{DataDir, runs};
use serde_json::{Value, json};

use crate::args::OneRun;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal::{self, Read};
use crate::screen::Screen;
use crate::view::story;

pub(crate) async fn run(options: &OneRun, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let listed = runs::find(&*store, &options.run).await?;
    let read = journal::read(&*store, &listed.row.run).await?;
    if screen.is_json() {
        let words = super::runs::words(&*store, &listed.row).await?;
        let run = super::runs::document(&listed, &words);
        screen.document(&json!({ "run": run, "result": result(&read)? }));
    } else {
        screen.data(&story(&listed.row, &read)?);
        if runs::is_left(&*store, &listed.row).await? {
            let run = &listed.row.run;
            screen.tell(&format!("no process works on it: provost resume {run} goes on"));
        }
    }
    Ok(Exit::Done)
}

/// The result record of a run.
pub(super) fn result(read: &Read) -> Result<Value, Failure> {
    let run = &read.run;
    let result = provost_engine::view::conversation_result(&run.agent, &run.history, &run.events);
    result.map_err(|error| Failure::new(Code::Journal, error.to_string()))
}
