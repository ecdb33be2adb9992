//! `provost runs`: a list.

use provost_contract::timestamp;
use provost_runtime::port::{RunFilter, RunRow};
use serde_json::{Value, json};
use strum::VariantArray as _;

use crate::RunStatus;
use crate::cli::args::RunsOptions;
use crate::cli::config::did_you_mean;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::place::Place;
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(options: &RunsOptions, screen: &Screen) -> Result<Exit, Failure> {
    options.status.iter().try_for_each(|word| known_status(word))?;
    let place = Place::here()?;
    if place.is_empty() {
        screen.tell(&format!("no runs yet in {}", place.database().display()));
        screen.tell("start one with provost run, or go to the folder of the project");
        return Ok(Exit::Done);
    }
    let stores = place.look()?;
    let filter = RunFilter { statuses: options.status.iter().cloned().collect(), ..RunFilter::default() };
    let page = stores.runs.list(&filter, options.limit.max(1), None).await;
    let page = page.map_err(|fault| Failure::storage(&fault))?;
    for row in &page.rows {
        screen.show(&document(row), || line(row));
    }
    if page.rows.is_empty() {
        screen.tell("no runs");
    }
    if page.next.is_some() {
        screen.tell("there are more: --limit shows them");
    }
    Ok(Exit::Done)
}

fn known_status(word: &str) -> Result<(), Failure> {
    let known = || RunStatus::VARIANTS.iter().map(|status| status.into()).chain(["running"]);
    if known().any(|status| status == word) {
        return Ok(());
    }
    let failure = Failure::new(Code::Config, format!("there is no status `{word}`"));
    Err(match did_you_mean(word, known()) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint(format!("there are: {}", known().collect::<Vec<_>>().join(", "))),
    })
}

/// A run as machines read it.
pub(super) fn document(row: &RunRow) -> Value {
    json!({
        "run": row.run.as_str(),
        "agent": row.agent,
        "project": row.workspace,
        "status": row.status,
        "created_at": timestamp::iso8601(row.created_at_ms.div_euclid(1_000)),
        "updated_at": timestamp::iso8601(row.updated_at_ms.div_euclid(1_000)),
        "records": row.head.0,
        "summary": row.summary,
    })
}

fn line(row: &RunRow) -> String {
    let began = timestamp::date_time(row.created_at_ms.div_euclid(1_000));
    format!("{}  {began}  {:<17} {:<10} {}", row.run, row.status, row.agent, row.summary)
}
