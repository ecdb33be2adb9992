//! The decisions of a run, for people and as JSON.

use provost_contract::timestamp;
use provost_engine::view::{self, Decided};
use serde_json::{Value, json};

use super::{Context, verdict};
use crate::failure::{Code, Failure};
use crate::journal::Read;
use crate::text::{Line, Local, Mark, Role, Span, padded, zone};

/// How wide the column of verdicts is.
const WORD: usize = 10;
/// The subject of decisions about no tool.
const THE_RUN: &str = "the run";

/// Returns every decision of a run, in order.
pub(crate) fn decisions(read: &Read) -> Result<Vec<Decided>, Failure> {
    let run = &read.run;
    let decided = view::decisions(&run.agent, &run.history, &run.events);
    decided.map_err(|error| Failure::of(Code::Journal, &error))
}

/// Formats a decision as JSON.
pub(crate) fn decision_document(decided: &Decided) -> Value {
    let mut document = json!({
        "type": "decision",
        "seq": decided.seq,
        "at": timestamp::iso8601(decided.at_ms.div_euclid(1_000)),
        "turn": decided.turn,
        "tool": decided.tool,
        "call": decided.call,
        "decided": spoken_what(&decided.what),
        "layer": decided.layer,
        "rule": spoken_rule(&decided.rule),
        "reason": decided.reason,
        "source": Some(&decided.source).filter(|source| !source.is_empty()),
    });
    let further = [("process", decided.process.clone().map(Value::from)), ("origin", decided.origin.clone())];
    if let Some(fields) = document.as_object_mut() {
        fields.extend(further.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    document
}

/// A decision in one line.
pub(crate) fn decision_line(decided: &Decided) -> String {
    let by = match (decided.layer.as_str(), decided.rule.as_str()) {
        ("", "") => String::new(),
        (layer, "") => format!("  [{layer}]"),
        (layer, rule) => format!("  [{layer}: {}]", spoken_rule(rule)),
    };
    let about = if decided.tool.is_empty() { THE_RUN } else { &decided.tool };
    let reason = if decided.reason.is_empty() { String::new() } else { format!(": {}", decided.reason) };
    let when = if decided.turn == 0 { "start".to_owned() } else { format!("turn {}", decided.turn) };
    let place = if decided.source.is_empty() { String::new() } else { format!(" {}", decided.source) };
    let what = spoken_what(&decided.what);
    format!("{:>4}  {when:<7} {about:<10} {what}{reason}{by}{place}", decided.seq)
}

/// The decisions of a run as people read them: those about one call stand together, and calls about which the same
/// was decided are named together.
pub(crate) fn decision_lines(decided: &[Decided], context: &Context, now_ms: i64) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in groups(decided) {
        lines.extend([Line::blank(), head(&group, now_ms)]);
        lines.extend(group.said.iter().map(|decided| row(decided, &group.about, context)));
    }
    lines
}

/// What was decided about one call, or in the same way about several.
struct Group<'a> {
    about: String,
    calls: usize,
    turns: (u64, u64),
    at_ms: i64,
    said: Vec<&'a Decided>,
}

fn groups(decided: &[Decided]) -> Vec<Group<'_>> {
    let mut groups: Vec<(&str, Group<'_>)> = Vec::new();
    for one in decided {
        let about = if one.tool.is_empty() { THE_RUN } else { &one.tool };
        let mine = groups.iter_mut().rev().find(|(call, group)| *call == one.call && group.about == about);
        match mine {
            Some((_, group)) => group.said.push(one),
            None => {
                let group = Group {
                    about: about.to_owned(),
                    calls: 1,
                    turns: (one.turn, one.turn),
                    at_ms: one.at_ms,
                    said: vec![one],
                };
                groups.push((&one.call, group));
            }
        }
    }
    let mut merged: Vec<Group<'_>> = Vec::new();
    for (_, group) in groups {
        match merged.last_mut().filter(|before| is_same(before, &group)) {
            Some(before) => {
                before.calls += 1;
                before.turns.1 = group.turns.1;
                if !before.about.split(", ").any(|known| known == group.about) {
                    before.about = format!("{}, {}", before.about, group.about);
                }
            }
            None => merged.push(group),
        }
    }
    // Decisions about the run itself come last.
    merged.sort_by_key(|group| group.about == THE_RUN);
    merged
}

/// Whether the same was decided, by the same rules.
fn is_same(one: &Group<'_>, other: &Group<'_>) -> bool {
    let key = |decided: &Decided| {
        let Decided { what, layer, rule, reason, source, process, .. } = decided;
        [what, layer, rule, reason, source, process.as_ref().map_or(&String::new(), |process| process)]
            .map(String::clone)
    };
    let is_run = one.about == THE_RUN || other.about == THE_RUN;
    !is_run && one.said.iter().map(|said| key(said)).eq(other.said.iter().map(|said| key(said)))
}

fn head(group: &Group<'_>, now_ms: i64) -> Line {
    let calls =
        if group.calls > 1 && group.turns.1 > 0 { format!("{} calls", group.calls) } else { String::new() };
    let turns = match group.turns {
        (0, 0) => "start".to_owned(),
        (first, last) if first == last => format!("turn {first}"),
        (first, last) => format!("turns {first} to {last}"),
    };
    let at = Local::new(zone(), now_ms).long(group.at_ms);
    let spans = vec![Span::label(format!("{}  ", group.about), Role::Strong), Span::text(calls)];
    Line::note(&group.about, spans).right(vec![Span::quiet(format!("{turns}, {at}"))]).gutter(3)
}

fn row(decided: &Decided, about: &str, context: &Context) -> Line {
    let (mark, word, role) = word(&decided.what);
    // The word that allowed it stands in the line before.
    if decided.layer == "person" && decided.what.starts_with("runs") {
        let spans = vec![
            Span::label(padded(word, WORD), role),
            Span::text(format!("{} with that approval", decided.what)),
        ];
        return Line::new(mark, format!("{about} {word}"), spans);
    }
    let text = match decided.what.as_str() {
        "runs" | "asks" | "forbidden" | "rejected" | "in doubt" | "is shown to the model" => String::new(),
        what => what.to_owned(),
    };
    let reason = verdict::because_of(&decided.layer, word, &decided.category)
        .filter(|_| !word.is_empty())
        .unwrap_or_else(|| decided.reason.clone());
    let parts = [text.as_str(), &reason].into_iter().filter(|part| !part.is_empty());
    let said = parts.collect::<Vec<_>>().join(": ");
    let said = said.replace(&context.me, "you").replace("user:", "");
    let subject = format!("{about} {word}").trim_end().to_owned();
    let label = if word.is_empty() { String::new() } else { padded(word, WORD) };
    let mut line = Line::new(mark, subject, vec![Span::label(label, role), Span::text(said)]);
    line.hang = WORD;
    line.right(origin(decided).map(Span::quiet).into_iter().collect())
}

/// Where it comes from: the rule and its place, or who or what decided.
fn origin(decided: &Decided) -> Option<String> {
    let Decided { layer, rule, category, source, .. } = decided;
    let known = verdict::origin(layer, rule, category, source);
    let known = match known.as_str() {
        "" if rule.is_empty() || layer == "declaration" => String::new(),
        "" => format!("{layer}: {}", spoken_rule(rule)),
        known => known.to_owned(),
    };
    Some(known).filter(|known| !known.is_empty())
}

/// Returns the mark and the verdict of a decision; the verdict is empty if it has none.
fn word(what: &str) -> (Mark, &'static str, Role) {
    match what {
        "is shown to the model" => (Mark::Completed, "shown", Role::Done),
        _ if what.starts_with("runs") || what.starts_with("allowed by") => {
            (Mark::Completed, "allow", Role::Done)
        }
        _ if what.contains("hidden") => (Mark::Denied, "hidden", Role::Bad),
        _ if what.starts_with("asks") => (Mark::Asks, "ask", Role::You),
        "forbidden" | "refused by the gate" | "refused by the mediator" => (Mark::Denied, "deny", Role::Bad),
        "rejected" => (Mark::Denied, "declined", Role::Bad),
        "in doubt" => (Mark::InDoubt, "in doubt", Role::You),
        _ => (Mark::Nothing, "", Role::Text),
    }
}

/// What was decided, without words that people do not read.
fn spoken_what(what: &str) -> &str {
    match what {
        "forbidden" => "denied",
        "rejected" => "declined",
        what => what,
    }
}

/// Returns the name of a rule for people; `direct`, `preview` and `forbidden` become `allow`, `ask` and `deny`.
pub(crate) fn spoken_rule(rule: &str) -> &str {
    match rule {
        "direct" => "allow",
        "preview" => "ask",
        "forbidden" => "deny",
        rule => rule,
    }
}
