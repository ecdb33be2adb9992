//! The flat form `{kind, message?, calls?}`: the arguments of the carrier tool.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::json::{self, Object};
use provost_contract::policies::SchemaEvolution;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::actions::{Drafted, finish, too_many};
use super::call::read_call;
use super::version::VERSION;
use crate::read::evolution::refusal;
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::policies::merge;
use crate::read::text::{Document, parse_strict};
use crate::{Code, Content, Turn, Violation};

const CODE: &str = "invalid_schema";
const KEYS: [&str; 3] = ["kind", "message", "calls"];

#[derive(Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum Kind {
    Act,
    Answer,
    Done,
}

/// Parses a flat declaration; if `act` has no message, the user reads the text next to it.
pub(crate) fn read_flat(
    raw: &Object,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<(Content, Option<String>)> {
    let kind = notes.take("", json::word::<Kind>(CODE, "kind", raw.get("kind").unwrap_or(&Value::Null)));
    let given = notes.take("", json::optional_text(CODE, "message", raw)).flatten();
    let kind = kind?;
    let (alias, given) = match (kind, given) {
        (Kind::Answer, None) => answer_alias(raw, notes),
        (_, given) => (None, given),
    };
    for key in raw.keys().filter(|key| !KEYS.contains(&key.as_str()) && Some(key.as_str()) != alias) {
        let policies = merge(turn, None, None);
        match policies.effective().schema_evolution {
            SchemaEvolution::KeepUnknownFields => notes.violation(Violation::UnknownField(key.clone())),
            SchemaEvolution::RefuseUnknownFields => {
                notes.fault(refusal(&format!("/{key}"), VERSION, &policies));
            }
        }
    }
    match kind {
        Kind::Act => {
            let actions = read_calls(raw, document, turn, notes)?;
            Some((Content::Act(actions), given.or_else(|| document.whole_prose())))
        }
        Kind::Answer | Kind::Done => {
            refuse_calls(raw, notes);
            if kind == Kind::Answer && given.is_none() {
                let spot = Spot::Pointer("/message".to_owned());
                notes.fault(Fault::new(
                    Code::InvalidSchema,
                    spot,
                    "an answer needs a message that is not blank",
                ));
            }
            let content = if kind == Kind::Answer { Content::Answer } else { Content::Done };
            notes.faults.is_empty().then_some((content, given))
        }
    }
}

/// An answer under another field name is harmless, so it is accepted.
fn answer_alias(raw: &Object, notes: &mut Notes) -> (Option<&'static str>, Option<String>) {
    for name in ["answer", "text"] {
        if json::trimmed_text(raw, name).is_some() {
            notes.violation(Violation::FieldAlias(name));
            return (Some(name), json::text(raw, name).map(str::to_owned));
        }
    }
    (None, None)
}

fn refuse_calls(raw: &Object, notes: &mut Notes) {
    match json::present(raw, "calls") {
        None => {}
        Some(Value::Array(calls)) if calls.is_empty() => notes.violation(Violation::UnusedCalls),
        Some(_) => notes.fault(
            Fault::new(
                Code::InvalidSchema,
                Spot::Pointer("/calls".to_owned()),
                "calls only go with kind act",
            )
            .hint("send kind act with the calls, and answer once their results are known"),
        ),
    }
}

fn read_calls(
    raw: &Object,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Vec<Action>> {
    let decoded;
    let calls = match json::present(raw, "calls") {
        Some(Value::Array(calls)) => calls,
        Some(Value::String(text)) => {
            decoded = decode_calls(text, notes)?;
            &decoded
        }
        Some(_) | None => {
            notes.fault(bad_calls("calls must be a list of calls"));
            return None;
        }
    };
    if calls.is_empty() {
        notes.fault(bad_calls("calls must hold at least one call when kind is act"));
        return None;
    }
    if too_many(calls.len(), "/calls", turn, notes) {
        return None;
    }
    let id_of = |call: &'_ Value| call.get("id").and_then(Value::as_str).map(|id| id.trim().to_owned());
    let owned: Vec<String> = calls.iter().filter_map(id_of).collect();
    let ids: HashSet<&str> = owned.iter().map(String::as_str).collect();
    let (mut drafted, mut broken): (Vec<Drafted>, HashSet<String>) = (Vec::new(), HashSet::new());
    for (index, call) in calls.iter().enumerate() {
        match read_call(call, &format!("/calls/{index}"), &ids, turn, notes) {
            Some(draft) => drafted.push(draft),
            None => broken.extend(id_of(call)),
        }
    }
    finish(drafted, &broken, None, document, turn, notes)
}

/// Decodes calls given as JSON text; text that is not JSON is never repaired.
fn decode_calls(text: &str, notes: &mut Notes) -> Option<Vec<Value>> {
    match parse_strict(text) {
        Ok(Value::Array(calls)) => {
            notes.violation(Violation::StringifiedCalls);
            Some(calls)
        }
        Ok(_) => {
            notes.fault(bad_calls("calls must be a list of calls"));
            None
        }
        Err(fault) => {
            let message = format!("calls is a text that is not JSON: {}", fault.message);
            notes.fault(
                Fault::new(Code::InvalidJson, Spot::Pointer("/calls".to_owned()), message)
                    .hint("give calls as a list, not as a text"),
            );
            None
        }
    }
}

fn bad_calls(message: &str) -> Fault {
    Fault::new(Code::InvalidSchema, Spot::Pointer("/calls".to_owned()), message)
}
