//! The decisions of a run, for people and as JSON.

use provost_contract::timestamp;
use provost_engine::view::{self, Decided};
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::journal::Read;

/// Returns every decision of a run, in order.
pub(crate) fn decisions(read: &Read) -> Result<Vec<Decided>, Failure> {
    let run = &read.run;
    let decided = view::decisions(&run.agent, &run.history, &run.events);
    decided.map_err(|error| Failure::of(Code::Journal, &error))
}

/// Formats a decision as JSON.
pub(crate) fn decision_document(decided: &Decided) -> Value {
    let mut document = json!({
        "seq": decided.seq,
        "at": timestamp::iso8601(decided.at_ms.div_euclid(1_000)),
        "turn": decided.turn,
        "tool": decided.tool,
        "call": decided.call,
        "decided": decided.what,
        "layer": decided.layer,
        "rule": decided.rule,
        "reason": decided.reason,
    });
    let further = [("process", decided.process.clone().map(Value::from)), ("origin", decided.origin.clone())];
    if let Some(fields) = document.as_object_mut() {
        fields.extend(further.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    document
}

/// Formats a decision for people.
pub(crate) fn decision_line(decided: &Decided) -> String {
    let by = match (decided.layer.as_str(), decided.rule.as_str()) {
        ("", "") => String::new(),
        (layer, "") => format!("  [{layer}]"),
        (layer, rule) => format!("  [{layer}: {}]", spoken_rule(rule)),
    };
    let about = if decided.tool.is_empty() { "the run" } else { &decided.tool };
    let reason = if decided.reason.is_empty() { String::new() } else { format!(": {}", decided.reason) };
    let when = if decided.turn == 0 { "start".to_owned() } else { format!("turn {}", decided.turn) };
    format!("{:>4}  {when:<7} {about:<10} {}{reason}{by}", decided.seq, decided.what)
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
