//! `expand_ref`: one runtime action for each reference that the model wants to expand.

use provost_contract::Action;
use provost_contract::action::{ActionId, ExecutorRef, ExecutorType, KnownInput, Reference, ReturnToModel};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde_json::Value;

use super::actions::too_many;
use crate::Turn;
use crate::read::notes::Notes;

const CODE: &str = "invalid_schema";

/// Parses `{refs: [{ref, reason?, range?}]}`.
pub(super) fn read_expand_ref(raw: &Object, turn: &Turn<'_>, notes: &mut Notes) -> Option<Vec<Action>> {
    let refs = notes.take("/payload", refs_of(raw))?;
    if too_many(refs.len(), "/payload/refs", turn, notes) {
        return None;
    }
    let mut actions = Vec::with_capacity(refs.len());
    for (index, wanted) in refs.iter().enumerate() {
        let at = format!("/payload/refs/{index}");
        actions.extend(notes.take(&at, read_one(wanted, index + 1)));
    }
    (actions.len() == refs.len()).then_some(actions)
}

fn refs_of(raw: &Object) -> Result<&Vec<Value>> {
    json::only_keys(CODE, "", raw, &["type", "refs"])?;
    if json::present(raw, "type").is_some_and(|word| word != "expand_ref") {
        return Err(ContractError::field(CODE, "type", "must be expand_ref"));
    }
    match json::list(raw, "refs") {
        Some(refs) if !refs.is_empty() => Ok(refs),
        Some(_) | None => {
            Err(ContractError::field(CODE, "refs", "must list at least one {ref, reason?, range?}"))
        }
    }
}

fn read_one(value: &Value, number: usize) -> Result<Action> {
    let Some(raw) = value.as_object() else {
        return Err(ContractError::whole(CODE, "must be {ref, reason?, range?}"));
    };
    json::only_keys(CODE, "", raw, &["ref", "reason", "range"])?;
    let Some(text) = json::trimmed_text(raw, "ref") else {
        return Err(ContractError::field(CODE, "ref", "must be a reference"));
    };
    match Reference::parse(text)? {
        Reference::Runtime(_) | Reference::Artifact(_) | Reference::StoredArtifact(_) => {}
        Reference::Section(_) | Reference::Action { .. } | Reference::UserGoal => {
            let reason = format!("{text:?} cannot be expanded; only runtime:// and artifact: references can");
            return Err(ContractError::field("unresolved_reference", "ref", &reason));
        }
    }
    let mut action = Action::new(ActionId::made("expand", &number.to_string(), 1));
    action.reason = json::optional_text(CODE, "reason", raw)?;
    action.operation = Some("expand_reference".to_owned());
    action.executor = ExecutorRef::named(ExecutorType::Runtime, "expand_ref");
    action.result_policy = ReturnToModel::Adaptive.into();
    action.input.insert("ref".into(), text.into());
    if let Some(range) = json::present(raw, "range") {
        let Some(known) = range.as_object() else {
            return Err(ContractError::field(CODE, "range", "must be an object"));
        };
        if KnownInput::of(known).is_some() {
            return Err(ContractError::field(
                CODE,
                "range",
                "must be given in place, without $ref and $literal",
            ));
        }
        action.input.insert("range".into(), range.clone());
    }
    Ok(action)
}
