//! One call of the flat form.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::action::{ActionId, ExecutorRef, ExecutorType, Prompt, ReturnToModel, Target};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::actions::{Drafted, Form, depends_at, read_dependencies};
use crate::checks::{ExecutorSpots, check_arguments, check_executor};
use crate::notes::{Fault, Notes, Spot};
use crate::{Code, Turn, Violation};

const CODE: &str = "invalid_schema";
const KEYS: [&str; 7] = ["id", "type", "name", "args", "depends", "result", "title"];
/// How models write that there is no dependency.
const NO_DEPENDENCY: &str = "none";
/// How models write a delegation as if it were a tool.
pub(crate) const TASK_TOOL: &str = "task";

#[derive(Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum CallType {
    Tool,
    Agent,
}

/// The results the flat form can ask for: `none` and `excerpt` need the full form.
#[derive(Clone, Copy, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum FlatResult {
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

/// The parts of a call, each of the right type.
struct Shape {
    id: ActionId,
    kind: CallType,
    name: String,
    args: Object,
    depends: Vec<String>,
    result: FlatResult,
    title: Option<String>,
}

/// Reads a call and checks who is asked, with what. `ids` are the ids of all calls.
pub(super) fn read_call(
    raw: &Value,
    at: &str,
    ids: &HashSet<&str>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Drafted> {
    let shape = notes.take(at, Shape::read(raw))?;
    let mut action = Action::new(shape.id);
    if let Some(title) = &shape.title {
        action.title.clone_from(title);
    }
    action.result_policy = ReturnToModel::from(shape.result).into();
    let depends = without_sentinel(shape.depends, ids, notes);
    let spot = Spot::Pointer(depends_at(at, Form::Flat));
    action.depends_on = read_dependencies(&action.id, &depends, &spot, notes);
    match target_of(shape.kind, &shape.name, &shape.args, turn) {
        Asked::Tool => ask_tool(&mut action, &shape.name, &shape.args, raw, at, turn, notes),
        Asked::Agent(name) => {
            ask_agent(&mut action, name, shape.title.as_deref(), &shape.args, at, turn, notes);
        }
        Asked::Task(name) => {
            notes.violation(Violation::TaskToolAsDelegation);
            ask_agent(&mut action, name, shape.title.as_deref(), &shape.args, at, turn, notes);
        }
    }
    action.input = shape.args;
    Some(Drafted::new(action, at.to_owned(), Form::Flat))
}

/// Who a call asks.
enum Asked<'a> {
    Tool,
    Agent(&'a str),
    /// An agent, written as the tool `task`.
    Task(&'a str),
}

fn target_of<'a>(kind: CallType, name: &'a str, args: &'a Object, turn: &Turn<'_>) -> Asked<'a> {
    match kind {
        CallType::Agent => Asked::Agent(name),
        CallType::Tool if name == TASK_TOOL && turn.catalog.tool(name).is_none() => {
            Asked::Task(delegate_of(args).unwrap_or_default())
        }
        CallType::Tool => Asked::Tool,
    }
}

fn ask_tool(
    action: &mut Action,
    name: &str,
    args: &Object,
    raw: &Value,
    at: &str,
    turn: &Turn<'_>,
    notes: &mut Notes,
) {
    action.operation = Some(name.to_owned());
    action.executor = ExecutorRef {
        kind: Some(ExecutorType::Tool),
        target: Target::from_name(name),
        capabilities: Vec::new(),
    };
    let spots = ExecutorSpots { target: spot(at, "name"), capabilities: spot(at, "name") };
    if let Some(entry) = check_executor(&action.executor, spots, turn.catalog, notes) {
        let base = format!("{at}/args");
        match json_args(raw) {
            Some(given) => check_arguments(entry, given, &base, notes),
            None => check_arguments(entry, &Value::Object(args.clone()), &base, notes),
        }
    }
}

/// The arguments as they stand in the call, so that they need not be copied to be checked.
fn json_args(raw: &Value) -> Option<&Value> {
    raw.get("args").filter(|args| args.is_object())
}

fn ask_agent(
    action: &mut Action,
    name: &str,
    title: Option<&str>,
    args: &Object,
    at: &str,
    turn: &Turn<'_>,
    notes: &mut Notes,
) {
    action.operation = Some("delegate".to_owned());
    action.description = json::trimmed_text(args, "description").map(str::to_owned);
    let capabilities =
        match json::present(args, "capabilities").map(|words| json::texts(CODE, "capabilities", words)) {
            None => Vec::new(),
            Some(Ok(words)) => words,
            Some(Err(_)) => {
                let message = "args.capabilities must be a list of texts";
                notes.fault(Fault::new(Code::InvalidArguments, spot(at, "args/capabilities"), message));
                Vec::new()
            }
        };
    action.executor =
        ExecutorRef { kind: Some(ExecutorType::Agent), target: Target::from_name(name), capabilities };
    let spots = ExecutorSpots { target: spot(at, "name"), capabilities: spot(at, "args/capabilities") };
    check_executor(&action.executor, spots, turn.catalog, notes);
    match task_text(args).or(title) {
        Some(text) => action.prompt = Some(Prompt::inline(text)),
        None => notes.fault(
            Fault::new(
                Code::InvalidArguments,
                spot(at, "args"),
                "the task text is missing: an agent must be told what to do",
            )
            .hint("give args.prompt"),
        ),
    }
}

/// The task text in the arguments of a delegation.
pub(crate) fn task_text(args: &Object) -> Option<&str> {
    ["prompt", "description", "task"].into_iter().find_map(|key| json::trimmed_text(args, key))
}

/// The agent the arguments of a `task` call name.
pub(crate) fn delegate_of(args: &Object) -> Option<&str> {
    ["agent", "subagent_type"].into_iter().find_map(|key| json::trimmed_text(args, key))
}

fn spot(at: &str, field: &str) -> Spot {
    Spot::Pointer(format!("{at}/{field}"))
}

/// Drops `none` where no call has that id.
fn without_sentinel(mut depends: Vec<String>, ids: &HashSet<&str>, notes: &mut Notes) -> Vec<String> {
    let before = depends.len();
    depends.retain(|name| name != NO_DEPENDENCY || ids.contains(NO_DEPENDENCY));
    if depends.len() < before {
        notes.violation(Violation::NoneDependencySentinel);
    }
    depends
}

impl Shape {
    fn read(raw: &Value) -> Result<Self> {
        let Some(raw) = raw.as_object() else {
            return Err(ContractError::whole(CODE, "a call must be an object"));
        };
        json::only_keys(CODE, "", raw, &KEYS)?;
        let field = |key: &str| raw.get(key).unwrap_or(&Value::Null);
        let id = ActionId::parse(json::text(raw, "id").unwrap_or_default())?;
        let kind = json::word(CODE, "type", field("type"))?;
        let Some(name) = json::trimmed_text(raw, "name") else {
            return Err(ContractError::field(CODE, "name", "must be the name of a tool or agent"));
        };
        let depends = match json::present(raw, "depends") {
            None => Vec::new(),
            Some(Value::String(name)) => {
                json::texts(CODE, "depends", &Value::Array(vec![name.as_str().into()]))?
            }
            Some(names) => json::texts(CODE, "depends", names)?,
        };
        let result = json::present(raw, "result").map(|word| json::word(CODE, "result", word)).transpose()?;
        Ok(Self {
            id,
            kind,
            name: name.to_owned(),
            args: json::optional_object(CODE, "args", raw)?,
            depends,
            result: result.unwrap_or(FlatResult::Summary),
            title: json::optional_text(CODE, "title", raw)?,
        })
    }
}
