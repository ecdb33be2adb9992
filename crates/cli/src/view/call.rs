//! How a call ended: its verdict, the reason, and the output of its program.

use provost_engine::WorldEffect;
use provost_engine::view::{Allowance, CallEnd, CallName, CallOutcome, ProgramOutput};

use super::{Context, Fold, object};
use crate::text::{
    Column, Line, Mark, Overflow, Role, Span, counted, duration, first_line, of_program, spoken_limit,
};

/// The number of output lines shown for a failed program.
const LINES_OF_FAILED: usize = 12;

/// Returns the lines of an ended call.
pub(crate) fn ended(end: &CallEnd, context: &Context) -> Vec<Line> {
    let verdict = verdict(end, context);
    let subject = format!("call {}", end.call.number);
    let duration = end.ms.and_then(duration).map(Span::quiet);
    let mut spans = about(&end.call, &object::object(&end.call.tool, &end.arguments));
    spans.extend(verdict.outcome);
    let mut lines = vec![Line::new(verdict.mark, &subject, spans).right(duration.into_iter().collect())];
    let reasons = verdict.reasons.into_iter().filter(|reason| !reason.trim().is_empty());
    lines.extend(reasons.map(|reason| Line::note(&subject, vec![Span::text(reason).at(Column::Object)])));
    if let Some(output) = &end.output {
        lines.extend(printed(output, &end.call, verdict.mark == Mark::Failed, context));
    }
    lines
}

/// Returns the first columns of a line about a call.
pub(crate) fn about(call: &CallName, object: &str) -> Vec<Span> {
    vec![Span::text(&call.tool).at(Column::Tool), Span::text(object).at(Column::Object)]
}

struct Verdict {
    mark: Mark,
    outcome: Vec<Span>,
    reasons: Vec<String>,
}

impl Verdict {
    /// Creates a verdict from the status and the text that follows it.
    fn new(mark: Mark, word: &str, role: Role, rest: impl AsRef<str>) -> Self {
        let outcome = vec![Span::new(word, role).at(Column::Outcome), Span::text(rest)];
        Self { mark, outcome, reasons: Vec::new() }
    }

    fn bad(mark: Mark, word: &str, rest: impl AsRef<str>) -> Self {
        Self::new(mark, word, Role::Bad, rest)
    }

    fn because(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }
}

fn verdict(end: &CallEnd, context: &Context) -> Verdict {
    let mut verdict = match &end.outcome {
        CallOutcome::Done { said } => return done(end, said, context),
        CallOutcome::Exited { code } => exited(*code),
        CallOutcome::Killed { signal } => Verdict::bad(Mark::Failed, "killed", format!(", signal {signal}")),
        CallOutcome::Failed { error, effect } => failed(error, *effect, end.reads),
        CallOutcome::TimedOut { ms, effect, .. } => {
            let limit = ms.map(|ms| format!(" after {}", spoken_limit(ms))).unwrap_or_default();
            Verdict::bad(Mark::Failed, "timed out", limit).because(effect_of(*effect, end.reads))
        }
        CallOutcome::Denied { layer, rule, reason, source } => denied(layer, rule, reason, source),
        CallOutcome::Declined { by, reason, after_ms } => {
            let rest = format!(" by {}{}", context.name(by), after(*after_ms));
            Verdict::bad(Mark::Denied, "declined", rest).because(in_quotes(reason))
        }
        CallOutcome::Expired => Verdict::bad(Mark::Denied, "expired", ": no answer in time")
            .because("an approval that expires counts as declined"),
        CallOutcome::WouldFail { error } => {
            let why = error.rsplit_once("it would fail: ").map_or(error.as_str(), |(_, why)| why);
            Verdict::bad(Mark::Failed, "failed", ", nothing was changed")
                .because(format!("{}; the model reads this", first_line(why)))
        }
        CallOutcome::UnknownTool { error } => {
            Verdict::bad(Mark::Denied, "unknown tool", ", nothing ran").because(first_line(error))
        }
        CallOutcome::Unfit { error } => {
            Verdict::bad(Mark::Failed, "arguments do not fit", ", nothing ran").because(first_line(error))
        }
        CallOutcome::StoppedMidway { by } => {
            let by = by.as_ref().map(|by| format!(" by {}", context.name(by))).unwrap_or_default();
            let because =
                if end.reads { "a read: nothing was changed" } else { "it may have taken effect in part" };
            Verdict::new(Mark::Stopped, "stopped midway", Role::Text, by).because(because)
        }
        CallOutcome::Cancelled { by } => {
            let by = by.as_ref().map(|by| format!(" by {}", context.name(by))).unwrap_or_default();
            Verdict::new(Mark::Stopped, "cancelled", Role::Text, format!("{by} before it began"))
        }
        CallOutcome::InDoubt { left_by, .. } => {
            let left = left_by.as_ref().map(|by| format!(", left so by {}", context.name(by)));
            Verdict::new(Mark::InDoubt, "in doubt", Role::You, left.unwrap_or_default())
                .because("it began, and whether it took effect is not known; it was not repeated")
        }
        CallOutcome::Attested { by } => {
            let says = match context.name(by).as_str() {
                "you" => ", as you say".to_owned(),
                name => format!(", as {name} says"),
            };
            Verdict::new(Mark::Completed, "happened", Role::Text, says)
        }
        CallOutcome::Probed => {
            Verdict::new(Mark::Completed, "had happened", Role::Text, " before the restart")
        }
        CallOutcome::Superseded => {
            Verdict::new(Mark::LeftOut, "left out", Role::Text, ": a new message came first")
        }
        CallOutcome::Blocked { error } => {
            Verdict::bad(Mark::Denied, "blocked", "").because(first_line(error))
        }
        CallOutcome::LeftOut { error } => {
            Verdict::new(Mark::LeftOut, "left out", Role::Text, "").because(first_line(error))
        }
    };
    verdict.reasons.extend(end.allowed.as_ref().map(|allowed| allowance(allowed, context)));
    verdict
}

/// A completed call shows its result, or who allowed it.
fn done(end: &CallEnd, said: &str, context: &Context) -> Verdict {
    let outcome = match &end.allowed {
        Some(allowed) => Span::text(allowance(allowed, context)),
        None => Span::quiet(said),
    };
    Verdict { mark: Mark::Completed, outcome: vec![outcome.at(Column::Outcome)], reasons: Vec::new() }
}

fn exited(code: i64) -> Verdict {
    match code {
        0 => Verdict::new(Mark::Completed, "exit 0", Role::Text, ""),
        126 => Verdict::bad(Mark::Failed, "cannot be executed", ", exit 126"),
        127 => Verdict::bad(Mark::Failed, "command not found", ", exit 127"),
        code => Verdict::bad(Mark::Failed, "failed", format!(", exit {code}")),
    }
}

fn failed(error: &str, effect: WorldEffect, reads: bool) -> Verdict {
    let rest = if effect == WorldEffect::None && !reads { ", nothing was changed" } else { "" };
    let verdict = Verdict::bad(Mark::Failed, "failed", rest).because(first_line(error));
    if effect == WorldEffect::Maybe { verdict.because(effect_of(effect, reads)) } else { verdict }
}

fn effect_of(effect: WorldEffect, reads: bool) -> &'static str {
    match effect {
        _ if reads => "a read: nothing was changed",
        WorldEffect::None => "nothing was changed",
        WorldEffect::Maybe | WorldEffect::Done => "it may have taken effect in part",
    }
}

fn denied(layer: &str, rule: &str, reason: &str, source: &str) -> Verdict {
    let mut verdict = match layer {
        "rule" => {
            let mut verdict = Verdict::bad(Mark::Denied, "denied", " by rule ");
            verdict.outcome.push(Span::strong(rule));
            verdict
        }
        "tool_policy" => Verdict::bad(Mark::Denied, "denied", " by this tool's policy"),
        "category_policy" => Verdict::bad(Mark::Denied, "denied", " by its category's policy"),
        "" => Verdict::bad(Mark::Denied, "denied", ""),
        layer => Verdict::bad(Mark::Denied, "denied", format!(" by the {}", layer.replace('_', " "))),
    };
    let reason = in_quotes(first_line(reason));
    verdict.reasons.push(format!("{reason} {source}").trim().to_owned());
    verdict
}

fn allowance(allowed: &Allowance, context: &Context) -> String {
    let by = context.name(&allowed.by);
    match (allowed.standing, allowed.edited) {
        (true, _) => format!("allowed by a standing approval of {by}"),
        (false, true) => format!("allowed by {by} with changes"),
        (false, false) => format!("allowed by {by}{}", after(allowed.after_ms)),
    }
}

fn after(ms: u64) -> String {
    // Waiting for a person takes long, so tenths of a second are omitted.
    let whole = ms / 1_000 * 1_000;
    if whole == 0 { String::new() } else { format!(" after {}", spoken_limit(whole)) }
}

pub(crate) fn in_quotes(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("“{text}”") }
}

/// Returns the end of a program's output, and how to see the rest.
fn printed(output: &ProgramOutput, call: &CallName, is_bad: bool, context: &Context) -> Vec<Line> {
    let subject = format!("call {} output", call.number);
    let all: Vec<&str> = output.lines().collect();
    let line = |text: &str, role: Role, overflow: Overflow| {
        Line::new(Mark::Program, &subject, vec![Span::new(of_program(text), role)]).overflow(overflow)
    };
    if context.fold == Fold::Whole {
        return all.iter().map(|text| line(text, Role::Text, Overflow::Wrap)).collect();
    }
    // A blank last line is skipped.
    let end = all.iter().rposition(|text| !text.trim().is_empty()).map_or(0, |index| index + 1);
    let shown = if is_bad { LINES_OF_FAILED } else { 1 }.min(end);
    let first = end - shown;
    let above = output.above + first;
    let role = if is_bad { Role::Text } else { Role::Quiet };
    let mut lines = Vec::new();
    if above > 0 && is_bad {
        let count = counted(above as u64, "line", "lines");
        let text = format!("{count} above: provost show {} {}", context.run, call.number);
        lines.push(Line::new(Mark::Program, &subject, vec![Span::quiet(text)]));
    }
    lines.extend(all.get(first..end).unwrap_or_default().iter().map(|text| line(text, role, Overflow::Cut)));
    if above > 0
        && !is_bad
        && let Some(last) = lines.last_mut()
    {
        last.right = vec![Span::quiet(format!(
            "  the last of {}",
            counted((output.above + end) as u64, "line", "lines")
        ))];
    }
    lines
}
