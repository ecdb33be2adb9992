//! Recovers a direct call as an action if its tool is known, its arguments match, and it only reads.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::action::{ActionId, ExecutorRef, ExecutorType, KnownInput, Prompt};
use provost_contract::json::Object;
use serde_json::Value;

use crate::read::checks::{ExecutorSpots, check_arguments, check_executor};
use crate::read::forms::{TASK_TOOL, delegate_of, task_text};
use crate::read::message::NativeCall;
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::parse_strict;
use crate::{Code, Entry, Permission, Turn, Violation};

/// Where a direct call was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Among the native calls.
    Native,
    /// In the text.
    Text,
}

/// One direct call.
#[derive(Clone, Debug)]
pub(crate) struct DirectCall {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) spot: Spot,
    pub(crate) origin: Origin,
}

impl From<&NativeCall> for DirectCall {
    fn from(call: &NativeCall) -> Self {
        Self {
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            spot: Spot::Whole,
            origin: Origin::Native,
        }
    }
}

/// Recovers all calls or none.
pub(crate) fn recover(calls: &[DirectCall], turn: &Turn<'_>, notes: &mut Notes) -> Option<Vec<Action>> {
    let most = turn.limits.actions_max;
    if calls.len() > most {
        let message = format!("{} tools are called at once; at most {most} may be", calls.len());
        notes.fault(Fault::new(Code::LimitExceeded, Spot::Whole, message));
        return None;
    }
    let mut ids = HashSet::new();
    let mut actions = Vec::with_capacity(calls.len());
    for call in calls {
        match recover_one(call, &mut ids, turn) {
            Ok((action, violation)) => {
                notes.violation(violation);
                actions.push(action);
            }
            Err(faults) => faults.into_iter().for_each(|fault| notes.fault(fault)),
        }
    }
    notes.faults.is_empty().then_some(actions)
}

type Recovered = Result<(Action, Violation), Vec<Fault>>;

fn recover_one(call: &DirectCall, ids: &mut HashSet<ActionId>, turn: &Turn<'_>) -> Recovered {
    if call.name == TASK_TOOL && turn.catalog.tool(&call.name).is_none() {
        return recover_task(call, ids, turn);
    }
    let executor = ExecutorRef::named(ExecutorType::Tool, call.name.as_str());
    let entry = known(&executor, call, turn)?;
    let arguments = arguments_of(call)?;
    let mut notes = Notes::default();
    let given = Value::Object(arguments);
    check_arguments(entry, Some(&given), "", &mut notes);
    if !notes.faults.is_empty() {
        return Err(notes
            .faults
            .into_iter()
            .map(|fault| Fault { spot: call.spot.clone(), ..fault })
            .collect());
    }
    refuse_effects(entry, call)?;
    let Value::Object(arguments) = given else { return Err(Vec::new()) };
    let mut action = named(&call.name, ids);
    action.operation = Some(call.name.clone());
    action.executor = executor;
    action.input = arguments;
    let violation = match call.origin {
        Origin::Native => Violation::DirectToolCall,
        Origin::Text => Violation::TextToolCall,
    };
    Ok((action, violation))
}

/// A delegation runs under its own checks, so it needs no declared effects; but agent and task must be clear.
fn recover_task(call: &DirectCall, ids: &mut HashSet<ActionId>, turn: &Turn<'_>) -> Recovered {
    let arguments = arguments_of(call)?;
    let unsafe_task = |message: &str| vec![Fault::new(Code::UnsafeRecovery, call.spot.clone(), message)];
    let Some(agent) = delegate_of(&arguments) else {
        return Err(unsafe_task("the delegation names no target agent"));
    };
    let executor = ExecutorRef::named(ExecutorType::Agent, agent);
    known(&executor, call, turn)?;
    let Some(text) = task_text(&arguments) else {
        return Err(unsafe_task("the delegation has no task text"));
    };
    let mut action = named(agent, ids);
    action.operation = Some("delegate".to_owned());
    action.prompt = Some(Prompt::inline(text));
    action.description = provost_contract::json::trimmed_text(&arguments, "description").map(str::to_owned);
    action.executor = executor;
    action.input = arguments;
    let violation = match call.origin {
        Origin::Native => Violation::DirectDelegation,
        Origin::Text => Violation::TextToolCall,
    };
    Ok((action, violation))
}

fn known<'a>(executor: &ExecutorRef, call: &DirectCall, turn: &Turn<'a>) -> Result<&'a Entry, Vec<Fault>> {
    let mut notes = Notes::default();
    let spots = ExecutorSpots { target: call.spot.clone(), capabilities: call.spot.clone() };
    check_executor(executor, spots, turn.catalog, &mut notes).ok_or(notes.faults)
}

/// Arguments that do not parse are never replaced, not even by an empty object.
fn arguments_of(call: &DirectCall) -> Result<Object, Vec<Fault>> {
    let fault = |code, message: String| vec![Fault::new(code, call.spot.clone(), message)];
    let parsed = match &call.arguments {
        Value::String(text) => parse_strict(text).map_err(|found| {
            fault(Code::InvalidJson, format!("{}: the arguments are not JSON: {}", call.name, found.message))
        }),
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Ok(value.clone())
        }
    };
    match parsed? {
        // A direct call has no dependencies, so it is not certain whether a reference or a value is meant.
        Value::Object(arguments) if KnownInput::of(&arguments).is_some() => Err(fault(
            Code::UnsafeRecovery,
            format!(
                "{} was called directly with a $ref or $literal, which only a declaration can have",
                call.name
            ),
        )),
        Value::Object(arguments) => Ok(arguments),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(fault(Code::InvalidArguments, format!("{}: the arguments must be an object", call.name)))
        }
    }
}

fn refuse_effects(entry: &Entry, call: &DirectCall) -> Result<(), Vec<Fault>> {
    use provost_contract::action::SideEffects;
    let refuse = |message: String| {
        let hint = "declare it through the protocol, then it is checked like any other action";
        Err(vec![Fault::new(Code::UnsafeRecovery, call.spot.clone(), message).hint(hint)])
    };
    match &entry.side_effects {
        SideEffects::Unknown => {
            refuse(format!("{} was called directly and is not run: side effects unknown", entry.name))
        }
        SideEffects::Declared(_) if !entry.side_effects.are_harmless() => refuse(format!(
            "{} was called directly and is not run: it has a side effect beyond reading",
            entry.name
        )),
        SideEffects::Declared(_) if entry.permission == Some(Permission::Deny) => {
            refuse(format!("{} was called directly and is not run: it is denied", entry.name))
        }
        SideEffects::Declared(_) => Ok(()),
    }
}

/// Returns an action with the id `recovered_<name>`, numbered from the second on.
fn named(name: &str, ids: &mut HashSet<ActionId>) -> Action {
    let mut number = 1;
    let mut id = ActionId::made("recovered", name, number);
    while !ids.insert(id.clone()) {
        number += 1;
        id = ActionId::made("recovered", name, number);
    }
    Action::new(id)
}
