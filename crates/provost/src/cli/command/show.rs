//! `provost show`: what a run did.

use crate::cli::args::OneRun;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::journal;
use crate::cli::place::{self, Place};
use crate::cli::screen::Screen;
use crate::cli::view::story;
use provost_runtime::engine::project::conversation_result;
use serde_json::json;

pub(in crate::cli) async fn run(options: &OneRun, screen: &Screen) -> Result<Exit, Failure> {
    let stores = Place::here()?.look()?;
    let row = place::find(&stores, &options.run).await?;
    let read = journal::read(&stores, &row.run).await?;
    if screen.is_json() {
        let result = conversation_result(&read.state);
        let result = result.map_err(|error| Failure::new(Code::Journal, error.to_string()))?;
        screen.document(&json!({ "run": super::runs::document(&row), "result": result }));
    } else {
        screen.data(&story(&row, &read));
    }
    Ok(Exit::Done)
}
