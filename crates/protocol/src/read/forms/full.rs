//! The full form: an envelope `{type, version, intent, …, payload}`.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde_json::Value;
use strum::VariantArray as _;

use super::action::read_action;
use super::actions::{Drafted, finish, too_many};
use super::decision::{Decision, read_cancel, read_run_id};
use super::expand_ref::read_expand_ref;
use super::version::{VERSION, read_version};
use super::{Envelope, Intent, ReportSpec};
use crate::read::evolution::split_unknown_fields;
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::Document;
use crate::{Code, Content, PlanPreview, Turn};

/// The `type` of every full declaration.
pub(crate) const TYPE: &str = "agent.protocol";
const CODE: &str = "invalid_schema";
const KEYS: [&str; 9] =
    ["type", "version", "intent", "persist", "title", "response_policy", "execution", "policies", "payload"];

/// Parses a full declaration; sections come from the message around it.
pub(crate) fn read_full(
    raw: &Object,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<(Envelope, Content)> {
    let (version, intent) = read_head(raw).map_err(|fault| notes.fault(fault)).ok()?;
    let known;
    let (raw, unknown_fields) = if version == VERSION {
        (raw, Object::new())
    } else {
        let (of_version_1, others) = split_unknown_fields(raw, &version, turn, notes);
        known = of_version_1;
        (&known, others)
    };
    notes.take("", json::only_keys(CODE, "", raw, &KEYS));
    let envelope = notes.take("", Envelope::read(raw, &version, intent));
    let envelope = envelope.map(|envelope| Envelope { unknown_fields, ..envelope });
    let Some(payload) = json::object(raw, "payload") else {
        notes.fault(at("payload", Code::InvalidSchema, "payload must be an object"));
        return None;
    };
    let content = read_payload(intent, payload, envelope.as_ref(), document, turn, notes);
    notes.faults.is_empty().then_some((envelope?, content?))
}

/// Type, version and intent determine the meaning of the rest: if one is wrong, nothing else is checked.
fn read_head(raw: &Object) -> Result<(String, Intent), Fault> {
    if json::text(raw, "type") != Some(TYPE) {
        return Err(at("type", Code::WrongType, "type must be agent.protocol")
            .hint("set \"type\": \"agent.protocol\""));
    }
    let version = read_version(raw)?;
    let words = Intent::VARIANTS.iter().map(|intent| <&str>::from(*intent)).collect::<Vec<_>>().join(", ");
    match json::text(raw, "intent") {
        None => {
            Err(at("intent", Code::InvalidSchema, "intent must be a text").hint(format!("one of: {words}")))
        }
        Some(word) => word.parse().map(|intent| (version, intent)).map_err(|_| {
            let message = format!("intent {word:?} is not supported");
            at("intent", Code::UnsupportedIntent, &message).hint(format!("one of: {words}"))
        }),
    }
}

fn at(field: &str, code: Code, message: &str) -> Fault {
    Fault::new(code, Spot::Pointer(format!("/{field}")), message)
}

fn read_payload(
    intent: Intent,
    payload: &Object,
    envelope: Option<&Envelope>,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Content> {
    match intent {
        Intent::Execute if json::text(payload, "type") == Some("final_report_spec") => {
            ReportSpec::read(payload, document, turn, notes).map(Content::Report)
        }
        Intent::Report => ReportSpec::read(payload, document, turn, notes).map(Content::Report),
        Intent::Execute => {
            read_actions(payload, &GRAPH_KEYS, envelope, document, turn, notes).map(Content::Act)
        }
        Intent::Plan => read_actions(payload, &GRAPH_KEYS, envelope, document, turn, notes)
            .map(|actions| Content::Plan(PlanPreview(actions))),
        Intent::Revise => {
            let run_id = notes.take("/payload", read_run_id(payload));
            let actions = read_actions(payload, &REVISION_KEYS, envelope, document, turn, notes);
            Some(Content::Revise { run_id: run_id?, actions: actions? })
        }
        Intent::ExpandRef => {
            let mut actions = read_expand_ref(payload, turn, notes)?;
            let persist = envelope.is_some_and(|envelope| envelope.persist);
            actions.iter_mut().for_each(|action| action.persist = persist);
            Some(Content::Act(actions))
        }
        Intent::Decide => notes.take("/payload", Decision::read(payload)).map(Content::Decision),
        Intent::Cancel => notes
            .take("/payload", read_cancel(payload))
            .map(|(run_id, reason)| Content::Cancel { run_id, reason }),
    }
}

const GRAPH_KEYS: [&str; 2] = ["type", "actions"];
const REVISION_KEYS: [&str; 3] = ["type", "actions", "run_id"];

fn graph_of<'a>(payload: &'a Object, keys: &[&str]) -> Result<&'a Vec<Value>> {
    if json::text(payload, "type") != Some("action_graph") {
        return Err(ContractError::field(CODE, "type", "must be action_graph for this intent"));
    }
    json::only_keys(CODE, "", payload, keys)?;
    match json::list(payload, "actions") {
        Some(actions) if !actions.is_empty() => Ok(actions),
        Some(_) | None => Err(ContractError::field(CODE, "actions", "must list at least one action")),
    }
}

fn read_actions(
    payload: &Object,
    keys: &[&str],
    envelope: Option<&Envelope>,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Vec<Action>> {
    let declared = notes.take("/payload", graph_of(payload, keys))?;
    if too_many(declared.len(), "/payload/actions", turn, notes) {
        return None;
    }
    let persist = envelope.is_some_and(|envelope| envelope.persist);
    let (mut drafted, mut broken): (Vec<Drafted>, HashSet<String>) = (Vec::new(), HashSet::new());
    for (index, value) in declared.iter().enumerate() {
        match read_action(value, format!("/payload/actions/{index}"), persist, turn, notes) {
            Some(draft) => drafted.push(draft),
            None => broken.extend(value.get("id").and_then(Value::as_str).map(|id| id.trim().to_owned())),
        }
    }
    finish(drafted, &broken, envelope, document, turn, notes)
}
