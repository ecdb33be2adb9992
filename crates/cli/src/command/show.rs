//! `provost show`: prints a run with its calls, or the whole output of one call.

use std::path::Path;

use provost_engine::view::{self, Piece, Story};
use provost_project::DataDir;
use provost_project::clock;
use provost_project::runs::is_left;
use provost_runtime::store::{ListedRun, Store};
use serde_json::{Value, json};

use crate::args::ShowOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::journal::{self, Read};
use crate::record;
use crate::run_name::{self, Names};
use crate::screen::Screen;
use crate::text::{Line, Local, Mark, Role, Span, zone};
use crate::view::{Context, Fold, fact, lines, over, waits};

pub(crate) async fn run(options: &ShowOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let listed = run_name::find(&*store, &options.run).await?;
    let read = journal::read(&*store, &listed.row.run).await?;
    if screen.is_json() {
        let words = super::runs::words(&*store, &listed.row).await?;
        let run = super::runs::document(&listed, &words);
        let result = record::declared(&read).unwrap_or_else(|| result(&read))?;
        screen.document(&json!({ "run": run, "result": result }));
        return Ok(Exit::Done);
    }
    let names = Names::read(&*store).await?;
    let name = names.prefix(&listed.row.run).to_owned();
    let mut context = Context { me: identity::person(), run: name.clone(), fold: Fold::Folded };
    let story = story(&read)?;
    match options.call {
        Some(number) => {
            context.fold = Fold::Whole;
            screen.lines(&call(&story, number, &context)?);
        }
        None => {
            let mut all = head(&listed, &read, &name);
            all.extend(told(&story, &context));
            all.extend(end(&*store, &listed, &read, &story, &context).await?);
            screen.lines(&all);
        }
    }
    Ok(Exit::Done)
}

/// Returns the result record of a run.
pub(super) fn result(read: &Read) -> Result<Value, Failure> {
    let run = &read.run;
    let result = view::conversation_result(&run.agent, &run.history, &run.events);
    result.map_err(|error| Failure::new(Code::Journal, error.to_string()))
}

/// Returns the story of a run.
pub(super) fn story(read: &Read) -> Result<Story, Failure> {
    let run = &read.run;
    let story = view::story(&run.agent, &run.history, &run.events);
    story.map_err(|error| Failure::of(Code::Journal, &error))
}

/// Returns the lines of a run, as they were shown while it worked.
pub(super) fn told(story: &Story, context: &Context) -> Vec<Line> {
    story.lines.iter().flat_map(|line| lines(line, context)).collect()
}

/// Returns the head: id, agent, and start time.
pub(super) fn head(listed: &ListedRun, read: &Read, name: &str) -> Vec<Line> {
    let row = &listed.row;
    let local = Local::new(zone(), clock::clock().now_ms());
    let short = run_name::short(&row.run);
    let rest = short.strip_prefix(name).unwrap_or_default();
    let status = if row.status == "waiting" { "waits" } else { &row.status };
    let spans = vec![
        Span::label("run ", Role::Quiet),
        Span::label(if rest.is_empty() { short } else { name }, Role::Strong),
        Span::label(format!("{rest}  "), Role::Quiet),
        Span::strong(status.replace('_', " ")),
    ];
    let about = format!("{} in {}, began {}", row.agent, row.workspace, local.long(row.created.0));
    let mut lines =
        vec![Line::note("run", spans).gutter(4), Line::note("run", vec![Span::quiet(about)]).gutter(4)];
    let erased = read.run.events.iter().filter(|event| event.erased).map(|event| event.seq.to_string());
    let erased: Vec<String> = erased.collect();
    if !erased.is_empty() {
        let text = format!("the text of these records was erased: {}", erased.join(", "));
        lines.push(Line::note("run", vec![Span::text(text)]).gutter(4));
    }
    lines.push(Line::blank());
    lines
}

/// Returns how it ended, or what it waits for.
async fn end(
    store: &dyn Store,
    listed: &ListedRun,
    read: &Read,
    story: &Story,
    context: &Context,
) -> Result<Vec<Line>, Failure> {
    if let Some(status) = read.state.ended {
        let stop = read.state.stops.iter().find(|stop| stop.status() == status);
        let mut lines = over(status, stop, &story.totals, context);
        let events = read.run.events.len();
        let at = lines.len().saturating_sub(1);
        lines.insert(at, fact("journal", vec![Span::text(format!("{events} events, the chain holds"))]));
        return Ok(lines);
    }
    if is_left(store, &listed.row).await? {
        let text = format!("interrupted: its process is gone. provost resume {}", context.run);
        return Ok(vec![Line::blank(), Line::new(Mark::Stopped, "run", vec![Span::text(text)])]);
    }
    let (approvals, questions) = open(read);
    Ok(match story.rests {
        Some(_) if approvals + questions > 0 => vec![Line::blank(), waits(approvals, questions, context)],
        Some(_) => vec![Line::blank(), Line::new(Mark::Waits, "run", vec![Span::text("waits")])],
        None => {
            vec![Line::blank(), Line::new(Mark::Running(0), "run", vec![Span::new("running", Role::Alive)])]
        }
    })
}

/// Returns the number of open approvals and questions.
fn open(read: &Read) -> (usize, usize) {
    let open = view::open_waits(&read.state, &read.run.events);
    let asks = open.iter().filter(|pending| pending.tool == crate::view::HUMAN).count();
    (open.len() - asks, asks)
}

/// Returns the whole output and result of one call.
fn call(story: &Story, number: u32, context: &Context) -> Result<Vec<Line>, Failure> {
    let ends = story
        .lines
        .iter()
        .filter(|line| matches!(&line.piece, Piece::Ended(end) if end.call.number == number));
    let mut shown: Vec<Line> = Vec::new();
    for line in ends {
        shown.extend(lines(line, context));
        if let Piece::Ended(end) = &line.piece
            && end.output.is_none()
        {
            let given = end.result.get("result").unwrap_or(&end.result);
            let text =
                given.get("text").and_then(Value::as_str).map_or_else(|| format!("{given:#}"), str::to_owned);
            shown.extend(text.lines().map(|text| Line::new(Mark::Program, "result", vec![Span::text(text)])));
        }
    }
    if shown.is_empty() {
        let calls = story.totals.calls;
        let message = format!("there is no call {number} with a result: the run has {calls}");
        return Err(Failure::new(Code::UnknownRun, message).hint(format!("provost show {}", context.run)));
    }
    Ok(shown)
}
