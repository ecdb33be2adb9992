//! One call of the flat form.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::action::{
    ActionId, ExecutorRef, ExecutorType, Prompt, ReturnToModel, Target, is_replaced,
};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::actions::{Drafted, Form, depends_at, read_dependencies};
use crate::read::checks::{ExecutorSpots, check_arguments, check_executor};
use crate::read::notes::{Fault, Notes, Spot};
use crate::{Code, Turn, Violation};

const CODE: &str = "invalid_schema";
const KEYS: [&str; 7] = ["id", "type", "name", "args", "depends", "result", "title"];
/// How models write that there is no dependency.
const NO_DEPENDENCY: &str = "none";
/// The tool name that models use for a delegation.
pub(crate) const TASK_TOOL: &str = "task";

#[derive(Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum CallType {
    Tool,
    Agent,
}

/// The result policies of the flat form: `none` and `excerpt` need the full form.
#[derive(Clone, Copy, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum FlatResult {
    Summary,
    Full,
    Structured,
    OnFailure,
    OnDemand,
    Adaptive,
}

impl From<FlatResult> for ReturnToModel {
    fn from(result: FlatResult) -> Self {
        match result {
            FlatResult::Summary => Self::Summary,
            FlatResult::Full => Self::Full,
            FlatResult::Structured => Self::Structured,
            FlatResult::OnFailure => Self::OnFailure,
            FlatResult::OnDemand => Self::OnDemand,
            FlatResult::Adaptive => Self::Adaptive,
        }
    }
}

/// Parses a call and checks its executor and arguments. `ids` are the ids of all calls. A call with faults is
/// still returned if it has an id, so that one pass finds all faults.
pub(super) fn read_call(
    value: &Value,
    at: &str,
    ids: &HashSet<&str>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Drafted> {
    let Some(raw) = value.as_object() else {
        notes.refused(at, &ContractError::whole(CODE, "a call must be an object"));
        return None;
    };
    notes.take(at, json::only_keys(CODE, "", raw, &KEYS));
    let mut action =
        notes.take(at, ActionId::parse(json::text(raw, "id").unwrap_or_default())).map(Action::new)?;
    let title = notes.take(at, json::optional_text(CODE, "title", raw)).flatten();
    if let Some(title) = &title {
        action.title.clone_from(title);
    }
    let result = json::present(raw, "result").map(|word| json::word::<FlatResult>(CODE, "result", word));
    if let Some(result) = result.and_then(|result| notes.take(at, result)) {
        action.result_policy = ReturnToModel::from(result).into();
    }
    let depends = notes.take(at, read_depends(raw)).unwrap_or_default();
    let depends = without_sentinel(depends, ids, notes);
    let spot = Spot::Pointer(depends_at(at, Form::Flat));
    action.depends_on = read_dependencies(&action.id, &depends, &spot, notes);
    let args = notes.take(at, json::optional_object(CODE, "args", raw));
    let kind = notes.take(at, json::word(CODE, "type", raw.get("type").unwrap_or(&Value::Null)));
    let name = notes.take(at, read_name(raw));
    if let (Some(args), Some(kind), Some(name)) = (args, kind, name) {
        let given = json::present(raw, "args");
        ask(&mut action, &Ask { kind, name, args: &args, given, title: title.as_deref(), at }, turn, notes);
        action.input = args;
    }
    Some(Drafted::new(action, at.to_owned(), Form::Flat))
}

fn read_name(raw: &Object) -> Result<&str> {
    json::trimmed_text(raw, "name")
        .ok_or_else(|| ContractError::field(CODE, "name", "must be the name of a tool or agent"))
}

/// One name, or a list of names.
fn read_depends(raw: &Object) -> Result<Vec<String>> {
    match json::present(raw, "depends") {
        None => Ok(Vec::new()),
        Some(Value::String(name)) => json::texts(CODE, "depends", &Value::Array(vec![name.as_str().into()])),
        Some(names) => json::texts(CODE, "depends", names),
    }
}

/// The executor of a call, and its arguments.
struct Ask<'a> {
    kind: CallType,
    name: &'a str,
    args: &'a Object,
    /// The arguments as given in the call, if present.
    given: Option<&'a Value>,
    title: Option<&'a str>,
    at: &'a str,
}

fn ask(action: &mut Action, ask: &Ask<'_>, turn: &Turn<'_>, notes: &mut Notes) {
    match ask.kind {
        CallType::Agent => ask_agent(action, ask.name, ask, turn, notes),
        CallType::Tool if ask.name == TASK_TOOL && turn.catalog.tool(ask.name).is_none() => {
            notes.violation(Violation::TaskToolAsDelegation);
            ask_agent(action, delegate_of(ask.args).unwrap_or_default(), ask, turn, notes);
        }
        CallType::Tool => ask_tool(action, ask, turn, notes),
    }
}

fn ask_tool(action: &mut Action, ask: &Ask<'_>, turn: &Turn<'_>, notes: &mut Notes) {
    action.operation = Some(ask.name.to_owned());
    action.executor = executor(ExecutorType::Tool, ask.name, Vec::new());
    let spots = ExecutorSpots { target: spot(ask.at, "name"), capabilities: spot(ask.at, "name") };
    if let Some(entry) = check_executor(&action.executor, spots, turn.catalog, notes) {
        check_arguments(entry, ask.given, &format!("{}/args", ask.at), notes);
    }
}

fn ask_agent(action: &mut Action, name: &str, ask: &Ask<'_>, turn: &Turn<'_>, notes: &mut Notes) {
    action.operation = Some("delegate".to_owned());
    action.description = json::trimmed_text(ask.args, "description").map(str::to_owned);
    let capabilities = match json::present(ask.args, "capabilities") {
        None => Vec::new(),
        Some(words) => json::texts(CODE, "capabilities", words).unwrap_or_else(|_| {
            let message = "args.capabilities must be a list of texts";
            notes.fault(Fault::new(Code::InvalidArguments, spot(ask.at, "args/capabilities"), message));
            Vec::new()
        }),
    };
    action.executor = executor(ExecutorType::Agent, name, capabilities);
    let spots =
        ExecutorSpots { target: spot(ask.at, "name"), capabilities: spot(ask.at, "args/capabilities") };
    check_executor(&action.executor, spots, turn.catalog, notes);
    match task_text(ask.args).or(ask.title) {
        _ if refers_to_task(ask.args) => {}
        Some(text) => action.prompt = Some(Prompt::inline(text)),
        None => {
            let message = "the task text is missing: an agent needs a task";
            let fault = Fault::new(Code::InvalidArguments, spot(ask.at, "args"), message);
            notes.fault(fault.hint("give args.prompt"));
        }
    }
}

fn executor(kind: ExecutorType, name: &str, capabilities: Vec<String>) -> ExecutorRef {
    ExecutorRef { kind: Some(kind), target: Target::from_name(name), capabilities }
}

const TASK_KEYS: [&str; 3] = ["prompt", "description", "task"];

/// Returns the task text in the arguments of a delegation. If it is given by a reference, the resolved
/// arguments have it.
pub fn task_text(args: &Object) -> Option<&str> {
    TASK_KEYS.into_iter().find_map(|key| json::trimmed_text(args, key))
}

/// Returns whether the task is a `$ref` or `$literal`: it is known when the references are resolved.
fn refers_to_task(args: &Object) -> bool {
    let is_replaced_at = |key: &str| json::object(args, key).is_some_and(is_replaced);
    let given = |key: &&str| json::trimmed_text(args, key).is_some() || is_replaced_at(key);
    is_replaced(args) || TASK_KEYS.into_iter().find(given).is_some_and(is_replaced_at)
}

/// Fills in the texts of a delegation that were sections of the message.
pub(super) fn complete_task(action: &mut Action) {
    if action.executor.kind != Some(ExecutorType::Agent) {
        return;
    }
    action.description = json::trimmed_text(&action.input, "description").map(str::to_owned);
    if action.prompt.is_none() && !refers_to_task(&action.input) {
        action.prompt = task_text(&action.input).map(Prompt::inline);
    }
}

/// Returns the agent that the arguments of a `task` call name.
pub(crate) fn delegate_of(args: &Object) -> Option<&str> {
    ["agent", "subagent_type"].into_iter().find_map(|key| json::trimmed_text(args, key))
}

fn spot(at: &str, field: &str) -> Spot {
    Spot::Pointer(format!("{at}/{field}"))
}

/// Removes `none`, unless a call has this id.
fn without_sentinel(mut depends: Vec<String>, ids: &HashSet<&str>, notes: &mut Notes) -> Vec<String> {
    let before = depends.len();
    depends.retain(|name| name != NO_DEPENDENCY || ids.contains(NO_DEPENDENCY));
    if depends.len() < before {
        notes.violation(Violation::NoneDependencySentinel);
    }
    depends
}
