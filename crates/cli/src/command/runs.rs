//! `provost runs`: lists runs.

use std::path::Path;

use provost::RunStatus;
use provost_contract::timestamp;
use provost_engine::Seq;
use provost_engine::event::{Event, EventKind};
use provost_project::{DataDir, did_you_mean, runs};
use provost_runtime::store::{ListedRun, RunFilter, RunRow, Store};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::runs_table::Table;
use crate::args::RunsOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::run_name::Names;
use crate::screen::Screen;

pub(crate) async fn run(options: &RunsOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    options.status.iter().try_for_each(|word| known_status(word))?;
    let data = DataDir::find(start)?;
    if data.is_empty() {
        screen.tell(&format!("no runs yet in {}", data.database().display()));
        screen.tell("start one with provost run, or go to the folder of the project");
        return Ok(Exit::Done);
    }
    let store = data.look()?;
    let filter = RunFilter { status: options.status.clone(), ..RunFilter::default() };
    let page = store.runs(filter, None, options.limit).await;
    let page = page.map_err(|fault| Failure::storage(&fault))?;
    let names = if screen.is_json() { Names::default() } else { Names::read(&*store).await? };
    let table = Table::new(*screen, &names);
    let mut lines = vec![table.head()];
    for listed in &page.items {
        let words = words(&*store, &listed.row).await?;
        match screen.is_json() {
            true => screen.document(&document(listed, &words)),
            false => lines.push(table.row(listed, &words)),
        }
    }
    if screen.is_json() {
        return Ok(Exit::Done);
    }
    if page.items.is_empty() {
        screen.tell("no runs");
        return Ok(Exit::Done);
    }
    let first = page.items.first().map(|listed| &listed.row.run);
    screen.lines(&lines);
    screen.notes(&table.foot(first, page.items.len(), page.next.is_some()));
    Ok(Exit::Done)
}

fn known_status(word: &str) -> Result<(), Failure> {
    let known = || RunStatus::VARIANTS.iter().map(|status| status.as_str());
    if known().any(|status| status == word) {
        return Ok(());
    }
    let failure = Failure::new(Code::Config, format!("there is no status `{word}`"));
    Err(match did_you_mean(word, known()) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint(format!("there are: {}", known().collect::<Vec<_>>().join(", "))),
    })
}

/// The texts of a run that lists show. They are read from the journal, so that erasing them there is enough.
#[derive(Default)]
pub(super) struct Words {
    /// The first line of the task.
    pub(super) prompt: String,
    /// The model's last text, once it has ended.
    last: String,
    /// Whether it is active but no process works on it.
    pub(super) left: bool,
}

/// Reads the texts of a run for lists.
pub(super) async fn words(store: &dyn Store, row: &RunRow) -> Result<Words, Failure> {
    let mut words = Words { left: runs::is_left(store, row).await?, ..Words::default() };
    if let Some(EventKind::RunAccepted(accepted)) = event_behind(store, row, Seq(0)).await? {
        let said = accepted.spec.input.iter().rev().find(|message| message.role() == "user");
        let text = said.and_then(|message| message.content.as_text()).unwrap_or_default();
        text.trim().lines().next().unwrap_or_default().clone_into(&mut words.prompt);
    }
    let before = Seq(row.head.0.saturating_sub(1));
    if row.ended.is_some()
        && let Some(EventKind::RunEnded(ended)) = event_behind(store, row, before).await?
    {
        ended.text.shown().as_str().unwrap_or_default().clone_into(&mut words.last);
    }
    Ok(words)
}

/// Returns the event after a position of a journal, if it can be read.
async fn event_behind(store: &dyn Store, row: &RunRow, after: Seq) -> Result<Option<EventKind>, Failure> {
    let read = store.journal(row.run.clone(), after, 1).await.map_err(|fault| Failure::storage(&fault))?;
    Ok(read.first().and_then(|record| Event::from_record(record).ok()).map(|event| event.kind))
}

/// Formats a run as JSON.
pub(super) fn document(listed: &ListedRun, words: &Words) -> Value {
    let row = &listed.row;
    json!({
        "run": row.run.as_str(),
        "agent": row.agent,
        "project": row.workspace,
        "status": row.status,
        "left": words.left,
        "prompt": words.prompt,
        "created_at": timestamp::iso8601(row.created.0.div_euclid(1_000)),
        "updated_at": timestamp::iso8601(row.updated.0.div_euclid(1_000)),
        "records": row.head,
        "summary": words.last,
        "stats": listed.summary,
    })
}
