//! `provost replay`: the journal folded again, and compared with what was kept.

use provost_runtime::driver::run_row;
use provost_runtime::engine::project::conversation_result;
use provost_runtime::port::RunRow;
use serde_json::{Value, json};

use crate::cli::args::OneRun;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::journal::{self, Read};
use crate::cli::place::{self, Place};
use crate::cli::screen::Screen;
use crate::cli::view::story;

pub(in crate::cli) async fn run(options: &OneRun, screen: &Screen) -> Result<Exit, Failure> {
    let stores = Place::here()?.look()?;
    let kept = place::find(&stores, &options.run).await?;
    let read = journal::read(&stores, &kept.run).await?;
    let result = conversation_result(&read.state);
    let result = result.map_err(|error| Failure::new(Code::Journal, error.to_string()))?;
    let differs = differences(&kept, &read);
    if screen.is_json() {
        let records = read.records.len();
        screen.document(
            &json!({ "run": kept.run.as_str(), "records": records, "differs": differs, "result": result }),
        );
    } else {
        screen.data(&story(&kept, &read));
        let text = result.get("final_content").and_then(Value::as_str).unwrap_or_default();
        screen.data(text);
        screen.tell("");
        screen.tell(&format!(
            "replayed {} records; no model and no tool was called; the hash chain holds",
            read.records.len()
        ));
    }
    if differs.is_empty() {
        screen.tell("the folded run equals the kept one");
        return Ok(Exit::Done);
    }
    Err(Failure::new(
        Code::Journal,
        format!("the kept row differs from its journal in: {}", differs.join(", ")),
    ))
}

/// In what a kept row is not what its journal says. A row is written when a run begins, stops and ends;
/// of a run at work it may be behind.
fn differences(kept: &RunRow, read: &Read) -> Vec<&'static str> {
    if kept.head < read.state.head && read.state.ended.is_none() {
        return Vec::new();
    }
    let folded = run_row(&kept.run, &read.state, read.state.head, kept.updated_at_ms);
    let parts = [
        ("status", kept.status == folded.status),
        ("head", kept.head == folded.head),
        ("agent", kept.agent == folded.agent),
        ("project", kept.workspace == folded.workspace),
        ("session", kept.session == folded.session),
        ("parent", kept.parent == folded.parent),
        ("created_at", kept.created_at_ms == folded.created_at_ms),
        ("wake_at", kept.wake_at_ms == folded.wake_at_ms),
        ("summary", kept.summary == folded.summary),
    ];
    parts.into_iter().filter(|(_, equal)| !equal).map(|(name, _)| name).collect()
}
