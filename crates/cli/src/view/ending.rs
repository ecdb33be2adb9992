//! The end of a run or of its current work: status and totals.

use provost_engine::event::{EndStatus, Stop};
use provost_engine::view::Totals;

use super::Context;
use crate::text::{Line, Mark, Role, Span, count, counted, duration, first_line, money, width};

/// Returns the last lines of an ended run.
pub(crate) fn over(status: EndStatus, stop: Option<&Stop>, totals: &Totals, context: &Context) -> Vec<Line> {
    let (mark, word, rest) = match status {
        EndStatus::Completed => {
            let took = duration(totals.ms).map(|took| format!(" in {took}")).unwrap_or_default();
            (Mark::Completed, "completed", took)
        }
        EndStatus::Failed => (Mark::Failed, "failed", format!(": {}", why(stop))),
        EndStatus::BudgetExceeded => (Mark::Spent, "budget spent", format!(": {}", spent(stop, totals))),
        EndStatus::Stalled => (Mark::Stalled, "stalled", format!(": {}", why(stop))),
        EndStatus::Interrupted => (Mark::Stopped, "interrupted", format!(": {}", why(stop))),
        EndStatus::Cancelled => {
            (Mark::Stopped, "cancelled", format!(" in turn {}. What ran stays as it is", totals.turns))
        }
    };
    let spans = vec![Span::strong(word), Span::text(rest)];
    let mut lines = vec![Line::blank(), Line::new(mark, "run", spans).right(vec![Span::text(sums(totals))])];
    lines.extend(changed(totals));
    lines.extend(decided(totals, context));
    let run = &context.run;
    let first = match status {
        EndStatus::Completed | EndStatus::Cancelled => format!("provost show {run}"),
        EndStatus::BudgetExceeded => format!("provost resume {run} --budget NAME=NUMBER"),
        EndStatus::Failed | EndStatus::Stalled | EndStatus::Interrupted => format!("provost resume {run}"),
    };
    lines.extend(next(&first, &format!("provost explain {run}")));
    lines
}

/// Returns two commands to paste; neither is broken at the end of a line.
fn next(first: &str, second: &str) -> Vec<Line> {
    const ONE_LINE: usize = 66;
    let both = format!("{first}   {second}");
    match width(&both) <= ONE_LINE {
        true => vec![fact("next", vec![Span::text(both)])],
        false => {
            let mut below = fact("", vec![Span::text(second)]);
            "next".clone_into(&mut below.subject);
            vec![fact("next", vec![Span::text(first)]), below]
        }
    }
}

/// Returns a line below the verdict: a label and its content.
pub(crate) fn fact(word: &str, mut spans: Vec<Span>) -> Line {
    let mut all = vec![Span::label(format!("{word:<9}"), Role::Quiet)];
    all.append(&mut spans);
    let mut line = Line::note(word, all);
    line.hang = 9;
    line
}

/// Formats the totals of a run: `5 turns   10 calls   7,486 tokens   USD 0.06`.
pub(crate) fn sums(totals: &Totals) -> String {
    let mut parts = vec![
        counted(totals.turns.into(), "turn", "turns"),
        counted(totals.calls, "call", "calls"),
        counted(totals.tokens, "token", "tokens"),
    ];
    parts.extend(totals.cost_microusd.map(money));
    parts.join("   ")
}

fn changed(totals: &Totals) -> Option<Line> {
    let paths = totals.changed.join(", ");
    (!paths.is_empty()).then(|| fact("changed", vec![Span::text(paths)]))
}

fn decided(totals: &Totals, context: &Context) -> Option<Line> {
    let part = |number: u64, rest: &str| (number > 0).then(|| format!("{} {rest}", count(number)));
    let mut parts = vec![part(totals.by_policy, "allowed by policy")];
    let people = totals.by_people.iter();
    parts.extend(people.map(|(by, number)| part(*number, &format!("allowed by {}", context.name(by)))));
    parts.push(part(totals.refused, "not allowed"));
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| fact("decided", vec![Span::text(parts.join(", "))]))
}

/// Returns why a run stopped, in a few words.
pub(crate) fn why(stop: Option<&Stop>) -> String {
    match stop {
        // A run without a model ends by what came of its actions.
        None => "not every action completed".to_owned(),
        Some(Stop::Budget { name, used, limit, .. }) => {
            format!("{} of {} {}", count(*used), count(*limit), name.replace('_', " "))
        }
        Some(Stop::Stalled { count, .. }) => {
            format!("the same call with the same answer, {}", counted((*count).into(), "time", "times"))
        }
        Some(Stop::Interrupted { code, message }) => {
            let said = message.as_ref().and_then(|message| message.content.as_text());
            first_line(said.unwrap_or(&code.replace('_', " "))).to_owned()
        }
        Some(Stop::Failed { fault }) => first_line(&fault.message).trim_end_matches([':', '.']).to_owned(),
        Some(Stop::Completed { by }) => format!("{by} called the work done"),
        Some(Stop::Cancelled { .. }) => "it was cancelled".to_owned(),
    }
}

/// Returns which limit stopped a run. Tokens and money are limited before they are spent, by an estimate of the next
/// request.
fn spent(stop: Option<&Stop>, totals: &Totals) -> String {
    match stop {
        Some(Stop::Budget { name, used, limit, .. }) if name == "tokens" && *used > totals.tokens => {
            let more = used - totals.tokens;
            format!(
                "the next request may need {} more than the {} used, of {} tokens",
                count(more),
                count(totals.tokens),
                count(*limit)
            )
        }
        stop => why(stop),
    }
}

/// Returns the last lines of a run that waits for people.
pub(crate) fn waits(calls: usize, questions: usize, context: &Context) -> Line {
    let number =
        |count: usize, one: &str, several: &str| (count > 0).then(|| counted(count as u64, one, several));
    let parts = [number(calls, "approval", "approvals"), number(questions, "question", "questions")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let spans = vec![
        Span::strong(format!("waits for you{what}")),
        Span::text(". Nothing is lost: "),
        // It shows the question and asks; the commands that answer unseen are listed below.
        Span::strong(format!("provost resume {}", context.run)),
    ];
    Line::new(Mark::Asks, "run", spans)
}

/// Returns the mark and role of a status in a list of runs.
pub(crate) fn mark_of(status: EndStatus) -> (Mark, Role) {
    match status {
        EndStatus::Completed => (Mark::Completed, Role::Text),
        EndStatus::Failed => (Mark::Failed, Role::Bad),
        EndStatus::BudgetExceeded => (Mark::Spent, Role::Bad),
        EndStatus::Stalled => (Mark::Stalled, Role::Bad),
        EndStatus::Cancelled | EndStatus::Interrupted => (Mark::Stopped, Role::Text),
    }
}
