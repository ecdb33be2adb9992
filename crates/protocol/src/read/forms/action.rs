//! One action of the full form.

use provost_contract::Action;
use provost_contract::action::{ActionId, Condition, ExecutorRef, FailurePolicy, Resource, ResultPolicy};
use provost_contract::json::{self, Object};
use provost_contract::policies::Policies;
use provost_contract::{ContractError, Result};
use serde_json::Value;

use super::actions::{Drafted, Form, depends_at, read_dependencies};
use crate::read::checks::{ExecutorSpots, check_arguments, check_executor};
use crate::read::notes::{Notes, Spot};
use crate::{Turn, Violation};

const CODE: &str = "invalid_schema";
const KEYS: [&str; 19] = [
    "type",
    "id",
    "title",
    "description",
    "reason",
    "operation",
    "executor",
    "input",
    "depends_on",
    "context_refs",
    "prompt_ref",
    "result_policy",
    "persist",
    "failure_policy",
    "when",
    "repeat",
    "for_each",
    "resources",
    "policies",
];

/// Parses an action and checks its executor and arguments. `persist` is the envelope's. An action with faults
/// is still returned if it has an id, so that one pass finds all faults.
pub(super) fn read_action(
    value: &Value,
    at: String,
    persist: bool,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Drafted> {
    let Some(raw) = value.as_object() else {
        notes.refused(&at, &ContractError::whole(CODE, "an action must be an object"));
        return None;
    };
    let mut action = notes.take(&at, read_head(raw)).map(Action::new)?;
    action.persist = persist;
    notes.take(&at, json::only_keys(CODE, "", raw, &KEYS));
    notes.take(&at, read_texts(raw, &mut action));
    notes.take(&at, read_executor(raw, &mut action));
    notes.take(&at, read_policies(raw, &mut action));
    let depends = notes.take(&at, names(raw, "depends_on")).unwrap_or_default();
    if raw.get("depends_on").is_some_and(Value::is_string) {
        notes.violation(Violation::DependsOnString);
    }
    let spot = Spot::Pointer(depends_at(&at, Form::Full));
    action.depends_on = read_dependencies(&action.id, &depends, &spot, notes);
    let context_refs = notes.take(&at, references(raw)).unwrap_or_default();
    let prompt_ref = notes.take(&at, json::optional_text(CODE, "prompt_ref", raw)).flatten();
    check_target(raw, &action, &at, turn, notes);
    let has_items = json::present(raw, "for_each").is_some();
    Some(Drafted { prompt_ref, context_refs, has_items, ..Drafted::new(action, at, Form::Full) })
}

fn read_head(raw: &Object) -> Result<ActionId> {
    if json::text(raw, "type") != Some("action") {
        return Err(ContractError::field(CODE, "type", "must be action"));
    }
    ActionId::parse(json::text(raw, "id").unwrap_or_default())
}

fn read_texts(raw: &Object, action: &mut Action) -> Result<()> {
    let text = |key| json::optional_text(CODE, key, raw);
    if let Some(title) = text("title")? {
        action.title = title;
    }
    action.description = text("description")?;
    action.reason = text("reason")?;
    action.operation = text("operation")?;
    Ok(())
}

/// If the executor is omitted, the runtime chooses; if it is given, it names its class.
fn read_executor(raw: &Object, action: &mut Action) -> Result<()> {
    action.input = json::optional_object(CODE, "input", raw)?;
    let Some(executor) = json::present(raw, "executor") else { return Ok(()) };
    action.executor = ExecutorRef::parse(executor)?;
    if action.executor.kind.is_none() {
        let reason = "must be one of: tool, agent, runtime, human, pipeline, service";
        return Err(ContractError::field(CODE, "executor.type", reason));
    }
    Ok(())
}

fn read_policies(raw: &Object, action: &mut Action) -> Result<()> {
    if let Some(policy) = json::present(raw, "result_policy") {
        action.result_policy = ResultPolicy::parse(policy)?;
    }
    if let Some(policy) = json::present(raw, "failure_policy") {
        action.failure_policy = FailurePolicy::parse(policy)?;
    }
    if let Some(conditions) = json::present(raw, "when") {
        action.when = Condition::parse_all(conditions)?;
    }
    if let Some(resources) = json::present(raw, "resources") {
        action.resources = Resource::parse_all(resources)?;
    }
    if let Some(policies) = json::present(raw, "policies") {
        action.policies = Policies::parse(policies)?;
    }
    action.read_loops(raw)?;
    match json::present(raw, "persist") {
        None => {}
        Some(Value::Bool(persist)) => action.persist = *persist,
        Some(_) => return Err(ContractError::field(CODE, "persist", "must be true or false")),
    }
    Ok(())
}

/// A list of names, or a single name.
fn names(raw: &Object, key: &str) -> Result<Vec<String>> {
    match json::present(raw, key) {
        None => Ok(Vec::new()),
        Some(Value::String(name)) => json::texts(CODE, key, &Value::Array(vec![name.as_str().into()])),
        Some(names) => json::texts(CODE, key, names),
    }
}

/// References keep their exact text; duplicates are removed.
fn references(raw: &Object) -> Result<Vec<String>> {
    json::present(raw, "context_refs").map_or(Ok(Vec::new()), |refs| json::texts(CODE, "context_refs", refs))
}

fn check_target(raw: &Object, action: &Action, at: &str, turn: &Turn<'_>, notes: &mut Notes) {
    let spot = |field: &str| Spot::Pointer(format!("{at}/executor/{field}"));
    let spots = ExecutorSpots { target: spot("target"), capabilities: spot("capabilities") };
    let Some(entry) = check_executor(&action.executor, spots, turn.catalog, notes) else { return };
    check_arguments(entry, json::present(raw, "input"), &format!("{at}/input"), notes);
}
