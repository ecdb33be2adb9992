//! `provost show`: what a run did.

use serde_json::{Value, json};

use crate::cli::args::OneRun;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::journal::{self, Read};
use crate::cli::place::{self, Place, is_left};
use crate::cli::screen::Screen;
use crate::cli::view::story;

pub(in crate::cli) async fn run(options: &OneRun, screen: &Screen) -> Result<Exit, Failure> {
    let store = Place::here()?.look()?;
    let listed = place::find(&*store, &options.run).await?;
    let read = journal::read(&*store, &listed.row.run).await?;
    if screen.is_json() {
        let words = super::runs::words(&*store, &listed.row).await?;
        let run = super::runs::document(&listed, &words);
        screen.document(&json!({ "run": run, "result": result(&read)? }));
    } else {
        screen.data(&story(&listed.row, &read)?);
        if is_left(&*store, &listed.row).await? {
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
