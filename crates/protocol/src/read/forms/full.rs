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
use super::{Envelope, Intent, ReportSpec};
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::Document;
use crate::{Code, Content, PlanPreview, Turn};

/// The `type` of every full declaration.
pub(crate) const TYPE: &str = "agent.protocol";
/// The supported version.
pub(crate) const VERSION: &str = "1";
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
    let intent = read_head(raw).map_err(|fault| notes.fault(fault)).ok()?;
    notes.take("", json::only_keys(CODE, "", raw, &KEYS));
    let envelope = notes.take("", Envelope::read(raw, intent));
    let Some(payload) = json::object(raw, "payload") else {
        notes.fault(at("payload", Code::InvalidSchema, "payload must be an object"));
        return None;
    };
    let persist = envelope.as_ref().is_some_and(|envelope| envelope.persist);
    let content = read_payload(intent, payload, persist, document, turn, notes);
    notes.faults.is_empty().then_some((envelope?, content?))
}

/// Type, version and intent determine the meaning of the rest: if one is wrong, nothing else is checked.
fn read_head(raw: &Object) -> Result<Intent, Fault> {
    if json::text(raw, "type") != Some(TYPE) {
        return Err(at("type", Code::WrongType, "type must be agent.protocol")
            .hint("set \"type\": \"agent.protocol\""));
    }
    match json::text(raw, "version") {
        Some(VERSION) => {}
        Some(version) => {
            let message = format!("version {version:?} is not supported");
            return Err(at("version", Code::UnsupportedVersion, &message).hint("set \"version\": \"1\""));
        }
        None => return Err(at("version", Code::InvalidSchema, "version must be the text \"1\"")),
    }
    let words = Intent::VARIANTS.iter().map(|intent| <&str>::from(*intent)).collect::<Vec<_>>().join(", ");
    match json::text(raw, "intent") {
        None => {
            Err(at("intent", Code::InvalidSchema, "intent must be a text").hint(format!("one of: {words}")))
        }
        Some(word) => word.parse().map_err(|_| {
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
    persist: bool,
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
            read_actions(payload, &GRAPH_KEYS, persist, document, turn, notes).map(Content::Act)
        }
        Intent::Plan => read_actions(payload, &GRAPH_KEYS, persist, document, turn, notes)
            .map(|actions| Content::Plan(PlanPreview(actions))),
        Intent::Revise => {
            let run_id = notes.take("/payload", read_run_id(payload));
            let actions = read_actions(payload, &REVISION_KEYS, persist, document, turn, notes);
            Some(Content::Revise { run_id: run_id?, actions: actions? })
        }
        Intent::ExpandRef => {
            let mut actions = read_expand_ref(payload, turn, notes)?;
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
    persist: bool,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Vec<Action>> {
    let declared = notes.take("/payload", graph_of(payload, keys))?;
    if too_many(declared.len(), "/payload/actions", turn, notes) {
        return None;
    }
    let (mut drafted, mut broken): (Vec<Drafted>, HashSet<String>) = (Vec::new(), HashSet::new());
    for (index, value) in declared.iter().enumerate() {
        match read_action(value, format!("/payload/actions/{index}"), persist, turn, notes) {
            Some(draft) => drafted.push(draft),
            None => broken.extend(value.get("id").and_then(Value::as_str).map(|id| id.trim().to_owned())),
        }
    }
    finish(drafted, &broken, document, turn, notes)
}
