//! `provost explain`: prints the decisions of a run, or the page of an error code.

use std::path::Path;

use provost_engine::ActionId;
use provost_engine::view::{Piece, Story};
use provost_project::{DataDir, clock};
use provost_runtime::store::RunRow;
use serde_json::json;

use super::show;
use crate::args::ExplainOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::journal;
use crate::run_name::{self, Names};
use crate::screen::Screen;
use crate::text::{Line, Role, Span, count, counted};
use crate::threads::waiting;
use crate::view::{Context, Fold, decision_document, decision_lines, decisions};

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

/// Which run it is, how it stands, and who allowed its calls.
fn head(row: &RunRow, context: &Context, story: &Story) -> Line {
    let (short, strong) = (run_name::short(&row.run), context.run.as_str());
    let rest = short.strip_prefix(strong).unwrap_or_default();
    let totals = &story.totals;
    let mut parts = vec![counted(totals.calls, "call", "calls")];
    parts.push(format!("{} allowed by policy", count(totals.by_policy)));
    let people = totals.by_people.iter();
    parts.extend(people.map(|(by, number)| format!("{} allowed by {}", count(*number), context.name(by))));
    if totals.refused > 0 {
        parts.push(format!("{} not allowed", count(totals.refused)));
    }
    let spans = vec![
        Span::label("run ", Role::Quiet),
        Span::label(if rest.is_empty() { short } else { strong }, Role::Strong),
        Span::label(format!("{rest}  "), Role::Quiet),
        Span::text(format!("{}: {}", row.status.replace('_', " "), parts.join(", "))),
    ];
    Line::note(format!("run {short}"), spans).gutter(4)
}

/// The call of a number, as `provost show` counts them.
fn numbered(story: &Story, wanted: &str) -> Option<ActionId> {
    let number: u32 = wanted.parse().ok()?;
    let calls = story.lines.iter().filter_map(|line| match &line.piece {
        Piece::Ended(end) => Some(&end.call),
        Piece::Asks { call, .. } | Piece::Waits { call, .. } | Piece::RunsAgain { call, .. } => Some(call),
        _ => None,
    });
    calls.into_iter().find(|call| call.number == number).map(|call| call.action)
}

async fn of_run(options: &ExplainOptions, start: &Path, screen: Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let row = run_name::find(&*store, &options.what).await?.row;
    let read = journal::read(&*store, &row.run).await?;
    let mut decisions = decisions(&read)?;
    if let Some(wanted) = &options.action {
        let numbered = numbered(&show::story(&read)?, wanted);
        decisions.retain(|decision| {
            decision.tool == *wanted
                || decision.call == *wanted
                || (numbered.is_some() && decision.action == numbered)
        });
        if decisions.is_empty() {
            let message = format!("no decision about `{wanted}` in {}", row.run);
            return Err(Failure::new(Code::UnknownRun, message)
                .hint("name a tool, or a call by its number in provost show"));
        }
    }
    if screen.is_json() {
        decisions.iter().for_each(|decision| screen.document(&decision_document(decision)));
        return Ok(Exit::Done);
    }
    let name = Names::read(&*store).await?.prefix(&row.run).to_owned();
    let context = Context { me: identity::person(), run: name, fold: Fold::Folded };
    let mut lines = vec![head(&row, &context, &show::story(&read)?)];
    lines.extend(decision_lines(&decisions, &context, clock::clock().now_ms()));
    screen.lines(&lines);
    Ok(Exit::Done)
}
