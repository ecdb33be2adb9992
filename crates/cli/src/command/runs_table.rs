//! The list of runs for people: task, status and start time.

use provost_engine::RunId;
use provost_engine::event::EndStatus;
use provost_project::clock;
use provost_runtime::store::ListedRun;
use serde_json::Value;

use super::runs::Words;
use crate::run_name::{self, NEWEST, Names};
use crate::screen::{Screen, Stream};
use crate::text::{Line, Local, Mark, Role, Span, Style, counted, cut, padded, spoken_limit, width, zone};
use crate::view::mark_of;

const RUN: usize = 10;
const STATE: usize = 25;
const BEGAN: usize = 10;
/// The minimum width of a task.
const ASKED_MIN: usize = 12;

/// Formats a list of runs.
pub(super) struct Table<'a> {
    names: &'a Names,
    local: Local,
    now_ms: i64,
    /// The width of the task column; `None` without columns.
    asked: Option<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn new(screen: Screen, names: &'a Names) -> Self {
        let paint = screen.paint(Stream::Data);
        let columns = paint.columns.unwrap_or(80);
        let asked = columns.saturating_sub(4 + RUN + STATE + BEGAN).max(ASKED_MIN);
        let now_ms = clock::clock().now_ms();
        let asked = (paint.style != Style::Plain).then_some(asked);
        Self { names, local: Local::new(zone(), now_ms), now_ms, asked }
    }

    /// The column headers.
    pub(super) fn head(&self) -> Line {
        let Some(asked) = self.asked else { return Line::blank() };
        let text = format!("{:<RUN$}{:<asked$}{:<STATE$}began", "run", "asked", "now, or how it ended");
        Line::note("", vec![Span::quiet(text)]).wide()
    }

    pub(super) fn row(&self, listed: &ListedRun, words: &Words) -> Line {
        let run = &listed.row.run;
        let (mark, state, role) = self.state(listed, words);
        let began = self.local.short(listed.row.created.0);
        let (short, strong) = (run_name::short(run), self.names.prefix(run));
        let rest = short.strip_prefix(strong).unwrap_or_default();
        let strong = if rest.is_empty() { short } else { strong };
        let subject = format!("run {short}");
        let Some(asked) = self.asked else {
            let text = format!("{state}; asked: {}; began {began}", words.prompt);
            return Line::new(mark, subject, vec![Span::text(text)]);
        };
        let prompt = cut(&words.prompt, asked.saturating_sub(1), "…");
        let spans = vec![
            Span::strong(strong),
            Span::quiet(rest),
            Span::text(" ".repeat(RUN.saturating_sub(width(short)))),
            Span::text(padded(&prompt, asked)),
            Span::new(padded(&cut(&state, STATE - 1, "…"), STATE), role),
            Span::quiet(began),
        ];
        Line::new(mark, subject, spans).wide()
    }

    /// The line about omitted runs, and the commands to type.
    pub(super) fn foot(&self, first: Option<&RunId>, shown: usize, more: bool) -> Vec<Line> {
        let all = self.names.len();
        let or_more = if all < NEWEST { "" } else { " or more" };
        let mut parts = vec![format!("{shown} of {}{or_more}", counted(all as u64, "run", "runs"))];
        parts.push(format!("local time, {}", self.local.offset()));
        let mut lines = vec![Line::blank(), Line::note("runs", vec![Span::quiet(parts.join("   "))])];
        let next = if more { "more: provost runs -n 50" } else { "" };
        let named = first.map_or("last", |run| self.names.prefix(run));
        let text = format!("the first letters name a run: provost show {named}   {next}");
        if self.asked.is_some() || more {
            lines.push(Line::note("runs", vec![Span::quiet(text.trim_end())]));
        }
        lines
    }

    /// Returns the status of a run in a few words.
    fn state(&self, listed: &ListedRun, words: &Words) -> (Mark, String, Role) {
        let row = &listed.row;
        let since = u64::try_from(self.now_ms.saturating_sub(row.updated.0)).unwrap_or_default();
        let age = if since < 60_000 { String::new() } else { format!(", {}", spoken_age(since)) };
        if let Ok(status) = row.status.parse::<EndStatus>() {
            let (mark, role) = mark_of(status);
            return (mark, ended(status, &listed.summary), role);
        }
        match row.status.as_str() {
            _ if words.left => (Mark::Stopped, "no process, can go on".to_owned(), Role::Text),
            "waiting" => waiting(&listed.summary, &age),
            "queued" => (Mark::Pending, "queued".to_owned(), Role::Text),
            "cancelling" => (Mark::Stopped, "is being cancelled".to_owned(), Role::Text),
            _ => (Mark::Running(0), format!("running, {}", turns(&listed.summary)), Role::Alive),
        }
    }
}

fn waiting(summary: &Value, age: &str) -> (Mark, String, Role) {
    let waits = summary.get("waits").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_any = |kind: &str| waits.iter().any(|wait| wait == kind);
    if is_any("in_doubt") {
        return (Mark::InDoubt, format!("in doubt{age}"), Role::You);
    }
    if is_any("approval") || is_any("question") || is_any("input") {
        return (Mark::Asks, format!("waits for you{age}"), Role::You);
    }
    let what = if is_any("client") { "waits for an answer" } else { "waits" };
    (Mark::Waits, format!("{what}{age}"), Role::Text)
}

fn ended(status: EndStatus, summary: &Value) -> String {
    let text = |pointer: &str| summary.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match status {
        EndStatus::Completed => "completed".to_owned(),
        EndStatus::Failed => match text("/stop/code") {
            "" => "failed".to_owned(),
            code => format!("failed: {}", code.replace('_', " ")),
        },
        EndStatus::BudgetExceeded => format!("budget spent: {}", text("/stop/budget").replace('_', " ")),
        EndStatus::Stalled => "stalled".to_owned(),
        EndStatus::Cancelled => "cancelled".to_owned(),
        EndStatus::Interrupted => "interrupted".to_owned(),
    }
}

fn turns(summary: &Value) -> String {
    format!("turn {}", summary.get("turns").and_then(Value::as_u64).unwrap_or_default())
}

fn spoken_age(ms: u64) -> String {
    if ms < 3_600_000 { format!("{} min", ms / 60_000) } else { spoken_limit(ms / 1_000 * 1_000) }
}
