//! `provost replay`: the journal folded again, and compared with what is stored beside it.

use std::path::Path;

use provost_project::{DataDir, runs};
use provost_runtime::verify::verify_run;
use serde_json::{Value, json};

use super::show::result;
use crate::args::OneRun;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal;
use crate::screen::Screen;
use crate::view::story;

pub(crate) async fn run(options: &OneRun, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let row = runs::find(&*store, &options.run).await?.row;
    let read = journal::read(&*store, &row.run).await?;
    let result = result(&read)?;
    let report = verify_run(&*store, &row.run).await.map_err(|fault| Failure::storage(&fault))?;
    let differs: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let records = read.run.events.len();
    if screen.is_json() {
        screen.document(
            &json!({ "run": row.run.as_str(), "records": records, "differs": differs, "result": result }),
        );
    } else {
        screen.data(&story(&row, &read)?);
        let text = result.get("final_content").and_then(Value::as_str).unwrap_or_default();
        screen.data(text);
        screen.tell("");
        screen.tell(&format!(
            "replayed {records} records; no model and no tool was called; the hash chain holds"
        ));
    }
    if differs.is_empty() {
        screen.tell("the folded run equals the stored one");
        return Ok(Exit::Done);
    }
    Err(Failure::new(
        Code::Journal,
        format!("the stored run differs from its journal: {}", differs.join("; ")),
    ))
}
