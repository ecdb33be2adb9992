//! A run as lines. The same pieces give the same lines, live and later.

use provost_engine::event::WaitKind;
use provost_engine::view::{Piece, StoryLine};

use super::question::QuestionLines;
use super::{Context, call, object, speech};
use crate::run_name;
use crate::text::{Column, Line, Mark, Role, Span, counted, duration, first_line};

/// Returns the lines of one piece. The end of a run is omitted, because it needs the totals.
pub(crate) fn lines(line: &StoryLine, context: &Context) -> Vec<Line> {
    match &line.piece {
        Piece::Prompt { text } => speech::prompt(text),
        Piece::Turn { turn, ms, tokens } => vec![turn_line(*turn, *ms, *tokens)],
        Piece::Words { text } => speech::words(text),
        Piece::Ended(end) => call::ended(end, context),
        Piece::Asks { pending, .. } => QuestionLines::of(pending, &pending.preview).whole(),
        Piece::Waits { call, arguments, kind } => {
            let mut spans = call::about(call, &object::object(&call.tool, arguments));
            spans.push(Span::text(waits_for(&call.tool, kind)).at(Column::Outcome));
            let mark = if call.tool == HUMAN { Mark::Asks } else { Mark::Waits };
            vec![Line::new(mark, format!("call {}", call.number), spans)]
        }
        Piece::RunsAgain { call, arguments, by } => {
            let mut spans = call::about(call, &object::object(&call.tool, arguments));
            let text = format!("runs again, by {}", context.name(by));
            spans.push(Span::text(text).at(Column::Outcome));
            vec![Line::new(Mark::Running(0), format!("call {}", call.number), spans)]
        }
        Piece::ModelFailed { fault, .. } if fault.code == "cancelled" => {
            vec![model(Mark::Stopped, "stopped; its answer is not recorded", Role::Text, "")]
        }
        Piece::ModelFailed { fault, attempt, again } => model_failed(&fault.message, *attempt, *again),
        Piece::ResponseRefused { reasons, .. } => {
            let why = reasons.first().map(|reason| refused_because(reason)).unwrap_or_default();
            vec![model(Mark::Waits, "its response cannot be used, it reads why", Role::Text, why)]
        }
        Piece::Compacted => note("older messages gave way to a summary"),
        Piece::CancelAsked { by, reason } => {
            let who = context.name(by);
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            note(&format!("cancelled by {who}{why}"))
        }
        Piece::Message { text, .. } => speech::prompt(text),
        Piece::TakenOver => note("goes on from the journal: the process that worked on it is gone"),
        Piece::AnswerIgnored { by } => {
            let text = format!(
                "the answer of {} did not count: the run withdrew the question first, as after a change of the policy",
                context.name(by)
            );
            vec![Line::new(Mark::Denied, "answer", vec![Span::text(text)])]
        }
        Piece::Resumed { by } => note(&format!("resumed by {}", context.name(by))),
        Piece::RunEnded { .. } => Vec::new(),
    }
}

/// The tool that asks a person.
pub(crate) const HUMAN: &str = "human/ask";

fn turn_line(turn: u32, ms: Option<u64>, tokens: u64) -> Line {
    let took = ms.and_then(duration);
    let used = (tokens > 0).then(|| counted(tokens, "token", "tokens"));
    let right: Vec<String> = took.into_iter().chain(used).collect();
    let right = if right.is_empty() { Vec::new() } else { vec![Span::quiet(right.join("   "))] };
    let turn = format!("turn {turn}");
    Line::note(&turn, vec![Span::label(&turn, Role::Quiet)]).right(right)
}

fn waits_for(tool: &str, kind: &WaitKind) -> String {
    match kind {
        WaitKind::Client if tool == HUMAN => "waits for your answer".to_owned(),
        WaitKind::Client => "waits for a client tool".to_owned(),
        WaitKind::Child { run } => format!("waits for run {}", run_name::short(run)),
        WaitKind::Timer => "waits for the clock".to_owned(),
        WaitKind::Signal { name } => format!("waits for the signal {name}"),
        WaitKind::Approval { .. } | WaitKind::InDoubt { .. } | WaitKind::Question | WaitKind::Input => {
            "waits for you".to_owned()
        }
    }
}

fn model_failed(message: &str, attempt: u32, again: bool) -> Vec<Line> {
    let mut said = message.lines();
    let first = said.next().unwrap_or_default().trim_end_matches(':');
    let mark = if again { Mark::Waits } else { Mark::Failed };
    let (word, role) = if again { ("failed", Role::Text) } else { ("failed", Role::Bad) };
    let mut line = model(mark, word, role, "");
    line.right = if attempt > 1 || again { vec![Span::quiet(format!("try {attempt}"))] } else { Vec::new() };
    let mut lines = vec![line, Line::note("model", vec![Span::text(first).at(Column::Object)])];
    lines.extend(said.map(|line| Line::new(Mark::Program, "model", vec![Span::text(line)])));
    lines
}

/// Returns a line about the model.
fn model(mark: Mark, outcome: &str, role: Role, object: &str) -> Line {
    let spans = vec![
        Span::text("model").at(Column::Tool),
        Span::text(object).at(Column::Object),
        Span::new(outcome, role).at(Column::Outcome),
    ];
    Line::new(mark, "", spans)
}

fn note(text: &str) -> Vec<Line> {
    vec![Line::note("run", vec![Span::quiet(text)])]
}

/// The first reason of a refusal. That of a declaration begins by saying that nothing was run, and numbers its reasons.
fn refused_because(reason: &str) -> &str {
    let mut lines = reason.lines().skip_while(|line| *line == "Nothing was run.");
    lines.next().map(|line| first_line(line.trim_start_matches("1. "))).unwrap_or_default()
}
