//! `provost replay`: folds the journal again, and compares with the stored run.

use std::path::Path;

use provost_project::DataDir;
use provost_runtime::verify::verify_run;
use serde_json::{Value, json};

use super::show::{head, result, story, told};
use crate::args::OneRun;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::journal;
use crate::run_name;
use crate::screen::Screen;
use crate::view::{Context, Fold};

pub(crate) async fn run(options: &OneRun, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let listed = run_name::find(&*store, &options.run).await?;
    let row = &listed.row;
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
        let name = run_name::typed(&*store, &row.run).await;
        let mut lines = head(&listed, &read, &name);
        let context = Context { me: identity::person(), run: name, fold: Fold::Folded };
        lines.extend(told(&story(&read)?, &context));
        screen.lines(&lines);
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
