//! A question about a call: the agent, the action, the reason, and the preview.

use provost_contract::action::{SideEffect, SideEffects};
use provost_engine::event::WaitKind;
use provost_engine::view::Pending;
use serde_json::Value;

use super::diff::Diff;
use super::object::object;
use crate::text::{Line, Mark, Role, Span, first_line};

/// A question for people.
pub(crate) struct QuestionLines {
    /// The agent, the action, its effects, and the rule that asks.
    pub(crate) head: Vec<Line>,
    /// The preview.
    pub(crate) evidence: Vec<Line>,
    /// The object and its size, repeated at the prompt.
    pub(crate) about: String,
}

impl QuestionLines {
    /// Builds a question. `preview` is what would happen now.
    pub(crate) fn of(pending: &Pending, preview: &Value) -> Self {
        let diff = diff_of(preview);
        let object = object(&pending.tool, &pending.arguments);
        let size = diff.as_ref().map(Diff::size);
        let about = match &size {
            Some(size) => format!("{object} {size}"),
            None => format!("{} {}", pending.tool, first_line(&object)),
        };
        let mut head = vec![title(pending, &object)];
        head.push(Line::note("approval", reach(pending, size.as_deref())));
        head.extend(why(pending));
        let evidence = diff.map_or_else(|| evidence(preview, pending), |diff| diff.lines);
        Self { head, evidence, about: about.trim_end().to_owned() }
    }

    /// Returns all lines.
    pub(crate) fn whole(self) -> Vec<Line> {
        let mut lines = vec![Line::blank()];
        lines.extend(self.head);
        if !self.evidence.is_empty() {
            lines.push(Line::blank());
        }
        lines.extend(self.evidence);
        lines
    }
}

fn title(pending: &Pending, object: &str) -> Line {
    if pending.in_doubt {
        let text = format!("{} {} may have happened", pending.tool, first_line(object));
        return Line::new(Mark::InDoubt, "in doubt", vec![Span::strong(text)]);
    }
    let agent = if pending.agent.is_empty() { "the agent" } else { &pending.agent };
    if let WaitKind::Question | WaitKind::Input = pending.kind
        && !pending.asked_by_tool
    {
        let spans =
            vec![Span::strong(agent), Span::new(" asks", Role::You), Span::strong(format!(": {object}"))];
        return Line::new(Mark::Asks, "question", spans);
    }
    let to = match pending.tool.as_str() {
        "fs/edit" => format!(" to edit {object}"),
        "fs/write" => format!(" to write {object}"),
        "fs/read" => format!(" to read {object}"),
        "shell/run" => " to run a program".to_owned(),
        "http/get" => format!(" to read {object}"),
        tool => format!(" to call {tool}"),
    };
    let spans = vec![Span::strong(format!("{agent} ")), Span::new("asks", Role::You), Span::strong(to)];
    Line::new(Mark::Asks, "approval", spans)
}

/// Returns the tool, the size, and the effects that its declaration names.
fn reach(pending: &Pending, size: Option<&str>) -> Vec<Span> {
    let mut spans = vec![Span::text(&pending.tool)];
    spans.extend(size.map(|size| Span::text(format!(", {size}"))));
    let SideEffects::Declared(effects) = &pending.facts.effects else {
        spans.push(Span::text(", its effects are not declared"));
        return spans;
    };
    for effect in effects {
        let (text, role) = match effect {
            SideEffect::None => continue,
            SideEffect::Read => ("reads", Role::Text),
            SideEffect::Write => ("writes in the workspace", Role::Text),
            SideEffect::Send => ("leaves this machine, cannot be undone", Role::Bad),
            SideEffect::Delete => ("removes, cannot be undone", Role::Bad),
            SideEffect::Purchase => ("moves money, cannot be undone", Role::Bad),
            SideEffect::Publish => ("makes public, cannot be undone", Role::Bad),
            SideEffect::Execute => ("runs a program", Role::Text),
        };
        spans.extend([Span::text(", "), Span::new(text, role)]);
    }
    spans
}

fn why(pending: &Pending) -> Vec<Line> {
    if pending.in_doubt {
        return vec![Line::note("in doubt", vec![Span::text(&pending.summary)])];
    }
    if pending.reason.is_empty() {
        return Vec::new();
    }
    let mut spans = vec![Span::quiet("asks because "), Span::text(first_line(&pending.reason))];
    let rule = pending.rule.as_ref().filter(|(layer, _)| layer == "rule").map(|(_, rule)| rule);
    let rule = rule.map(|rule| vec![Span::text("rule "), Span::strong(rule)]);
    let place = Some(&pending.source).filter(|place| !place.is_empty()).map(|place| vec![Span::text(place)]);
    let known: Vec<Vec<Span>> = [rule, place].into_iter().flatten().collect();
    for (index, part) in known.iter().enumerate() {
        spans.push(Span::text(if index == 0 { " (" } else { ", " }));
        spans.extend(part.iter().cloned());
    }
    if !known.is_empty() {
        spans.push(Span::text(")"));
    }
    let mut lines = vec![Line::note("approval", spans)];
    if pending.person_only {
        let text = "This needs a one-time approval: the answer is for this call only.";
        lines.push(Line::note("approval", vec![Span::text(text)]));
    }
    if !pending.may_answer.is_empty() {
        let names: Vec<&str> =
            pending.may_answer.iter().map(|name| name.trim_start_matches("user:")).collect();
        lines.push(Line::note("approval", vec![Span::text(format!("It waits for {}.", names.join(", ")))]));
    }
    lines
}

fn diff_of(preview: &Value) -> Option<Diff> {
    let diff = preview.get("diff").and_then(Value::as_str)?;
    (preview.get("type")?.as_str() == Some("diff")).then(|| Diff::read(diff))
}

/// Returns the preview if it is not a diff.
fn evidence(preview: &Value, pending: &Pending) -> Vec<Line> {
    let text = |key: &str| preview.get(key).and_then(Value::as_str).unwrap_or_default();
    let line = |text: &str| Line::note("approval", vec![Span::text(text)]);
    match text("type") {
        "command" => {
            let mut lines = vec![Line::note("command", vec![Span::quiet("$ "), Span::text(text("line"))])];
            lines.extend(
                Some(text("cwd"))
                    .filter(|cwd| !matches!(*cwd, "" | "."))
                    .map(|cwd| line(&format!("in {cwd}"))),
            );
            lines.extend(text("input").lines().map(|input| line(&format!("< {input}"))));
            lines
        }
        "request" => vec![line(&format!("GET {}", text("url")))],
        "refused" => vec![line(&format!("it would fail: {}", text("reason")))],
        _ => {
            let shown = serde_json::to_string_pretty(&pending.arguments).unwrap_or_default();
            shown.lines().map(line).collect()
        }
    }
}
