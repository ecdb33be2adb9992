//! `provost explain`: prints the decisions of a run, or the page of an error code.

use std::path::Path;

use provost_project::DataDir;
use serde_json::json;

use crate::args::ExplainOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal;
use crate::run_name;
use crate::screen::Screen;
use crate::threads::waiting;
use crate::view::{decision_document, decision_line, decisions};

pub(crate) fn run(options: &ExplainOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    match Code::of(&options.what) {
        Some(code) => {
            screen.show(&json!({ "code": code.word(), "page": code.page() }), || code.page().to_owned());
            Ok(Exit::Done)
        }
        None if options.what.to_uppercase().starts_with("PV") => {
            let message = format!("there is no error code `{}`", options.what);
            Err(Failure::new(Code::UnknownRun, message).hint("the codes are in docs/errors"))
        }
        None => waiting(of_run(options, start, *screen)),
    }
}

async fn of_run(options: &ExplainOptions, start: &Path, screen: Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let row = run_name::find(&*store, &options.what).await?.row;
    let read = journal::read(&*store, &row.run).await?;
    let mut decisions = decisions(&read)?;
    if let Some(wanted) = &options.action {
        decisions.retain(|decision| decision.tool == *wanted || decision.call == *wanted);
        if decisions.is_empty() {
            let message = format!("nothing was decided about `{wanted}` in {}", row.run);
            return Err(Failure::new(Code::UnknownRun, message).hint("name a tool or the id of a call"));
        }
    }
    if !screen.is_json() {
        screen.data(&format!("{}: {}", row.run, row.status));
    }
    for decision in &decisions {
        screen.show(&decision_document(decision), || decision_line(decision));
    }
    Ok(Exit::Done)
}
