//! The result record of the agent protocol: every declared action with where it stands and what came of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::action::ActionStatus;
use provost_contract::json;
use provost_contract::policies::{Audience, OutcomePart};
use provost_contract::{Message, timestamp};
use provost_protocol::TokenCounter;
use provost_protocol::transcript::GraphStatus;
use serde_json::{Value, json};

use super::observation::{observation, observed_section};
use super::outcome::outcome_of;
use super::waits::open_waits;
use crate::event::{DeclarationAccepted, EndStatus, Event, EventKind, Origin, Stop, WaitKind};
use crate::state::{Action, Illegal, RunState};
use crate::{ActionId, Agent, Time};

/// How many characters of an output stand for a summary where there is none.
const SUMMARY_CHARS: usize = 300;

/// Returns where the declared actions of a run stand together.
pub fn graph_status(state: &RunState) -> GraphStatus {
    let any = |status| state.actions.values().any(|action| is_declared(action) && action.status() == status);
    let failed = matches!(
        state.ended,
        Some(EndStatus::Failed | EndStatus::BudgetExceeded | EndStatus::Stalled | EndStatus::Interrupted)
    );
    let stopped = state.has_model() && failed;
    match () {
        () if state.cancel.is_some() => GraphStatus::Canceled,
        () if any(ActionStatus::Failed) || stopped => GraphStatus::Failed,
        // A part waits for its action.
        () if any(ActionStatus::Blocked) || !state.waits.is_empty() => GraphStatus::Blocked,
        () => GraphStatus::Completed,
    }
}

/// Whether an action was declared by itself, and is not a part of another.
fn is_declared(action: &Action) -> bool {
    action.spec.under.is_none()
}

/// Returns the result record of a run whose results are known whole.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn protocol_result(
    agent: &Arc<Agent>,
    history: &[Arc<Message>],
    events: &[Event],
    counter: &dyn TokenCounter,
) -> Result<Value, Illegal> {
    let state = RunState::fold(agent.clone(), history.to_vec(), events)?;
    let times = Times::of(events);
    let actions = state.actions.values().filter(|action| is_declared(action));
    let status: &'static str = graph_status(&state).into();
    Ok(json!({
        "type": "agent.protocol.result",
        "version": "1",
        "run_id": state.spec.run,
        "status": status,
        "actions": actions.map(|action| entry(&state, action, &times, counter)).collect::<Value>(),
        "waits": waits(&state, events),
        "usage": usage(&state),
        "errors": errors(&state),
        "answer": answer(&state, events),
        "price": price(events),
        "next": next(&state),
    }))
}

/// When actions began and ended.
#[derive(Default)]
struct Times {
    began: BTreeMap<ActionId, Time>,
    ended: BTreeMap<ActionId, Time>,
}

impl Times {
    fn of(events: &[Event]) -> Self {
        let mut times = Self::default();
        for event in events {
            match &event.kind {
                EventKind::ActionStarted(started) => {
                    times.began.entry(started.action).or_insert(event.at);
                }
                EventKind::ActionEnded(ended) => {
                    times.ended.insert(ended.action, event.at);
                }
                _ => {}
            }
        }
        times
    }
}

fn moment(at: Option<&Time>) -> Option<String> {
    at.map(|at| timestamp::iso8601(at.0.div_euclid(1_000)))
}

fn entry(state: &RunState, action: &Action, times: &Times, counter: &dyn TokenCounter) -> Value {
    let id = action.spec.id;
    let seen = observation(state, action, counter);
    let status: &'static str = status(state, action).into();
    let parts: u32 = state.parts(id).map(|part| part.attempt).sum();
    let executor: &'static str = executor_word(action);
    let title = if action.spec.title.is_empty() { &action.spec.label } else { &action.spec.title };
    json!({
        "id": action.spec.label,
        "action": id,
        "title": title,
        "description": action.spec.description,
        "status": status,
        "attempts": if action.spec.each.is_some() { parts } else { action.attempt },
        "summary": summary(state, action),
        "observation": observed_section(state, action, counter),
        "reason": reason(state, action),
        "artifacts": seen.map(|seen| seen.artifacts).unwrap_or_default(),
        "executor": { "type": executor, "target": action.spec.executor.target },
        "started_at": moment(times.began.get(&id)),
        "ended_at": moment(times.ended.get(&id).filter(|_| action.is_ended())),
    })
}

/// Where an action stands. One that goes on only through its parts waits when they do.
fn status(state: &RunState, action: &Action) -> ActionStatus {
    let open = || state.parts(action.spec.id).filter(|part| !part.is_ended());
    let waits = action.spec.each.is_some()
        && !action.is_ended()
        && open().any(|part| part.wait.is_some())
        && !open().any(|part| part.status() == ActionStatus::Running);
    if waits { ActionStatus::Waiting } else { action.status() }
}

/// The class of an executor, in the word that a declaration uses.
fn executor_word(action: &Action) -> &'static str {
    use crate::event::ExecutorKind;
    match action.executor() {
        ExecutorKind::Tool | ExecutorKind::Program | ExecutorKind::Client => "tool",
        ExecutorKind::Service => "service",
        ExecutorKind::Runtime | ExecutorKind::Timer | ExecutorKind::Signal => "runtime",
        ExecutorKind::Pipeline => "pipeline",
        ExecutorKind::Agent => "agent",
        ExecutorKind::Human => "human",
    }
}

/// What an action came to in short: its executor's summary, its tool's, or how its output begins.
fn summary(state: &RunState, action: &Action) -> Option<String> {
    let (policies, outcome) = (&action.policies, outcome_of(state, action)?);
    let withheld = policies.privacy.requires(&OutcomePart::Summary)
        || policies.privacy.requires(&OutcomePart::Output)
        || !policies.data_visibility.shows(Audience::User);
    if withheld {
        return None;
    }
    let native = outcome.native_summary.as_str().map(str::to_owned);
    let output = || match &outcome.output {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    };
    let said = outcome.summary.clone().or(native).or_else(|| outcome.error.clone()).or_else(output)?;
    Some(said.chars().take(SUMMARY_CHARS).collect())
}

/// Why an action did not complete, as a code and a sentence.
fn reason(state: &RunState, action: &Action) -> Option<Value> {
    let end = action.end.as_ref().filter(|_| action.status() != ActionStatus::Completed)?;
    let result = end.result.shown();
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let spent = state.stops.iter().any(|stop| matches!(stop, Stop::Budget { .. }));
    let code = match end.reason.as_str() {
        "dependency" => "dependency_not_completed",
        "denied_path" | "call_rule" | "mediator" => "denied",
        "cancelled" | "stopped_midway" => "canceled_by_user",
        "left_out" | "stopping" if spent => "budget_exceeded",
        "stopping" => "left_out",
        "failed" | "unprepared" => {
            Some(text("/metadata/error_type")).filter(|code| !code.is_empty()).unwrap_or("failed")
        }
        code => code,
    };
    let message = match (text("/error"), code) {
        ("", "rounds_exhausted") => "Its last round ended before its goal was reached.",
        ("", "skipped") => "A decision left it out.",
        (message, _) => message,
    };
    Some(json!({ "code": code, "message": message }))
}

fn waits(state: &RunState, events: &[Event]) -> Value {
    let open = open_waits(state, events).into_iter().map(|pending| {
        let label = state.action(pending.action).map(|action| action.spec.label.clone());
        let path = state.spec.parent.as_ref().map(|parent| parent.path.as_str()).unwrap_or_default();
        let question = match &pending.kind {
            WaitKind::Timer | WaitKind::Signal { .. } | WaitKind::Child { .. } => Value::Null,
            _ => pending.summary.into(),
        };
        json!({
            "id": pending.wait.to_string(),
            "kind": pending.kind.as_str(),
            "action": label,
            "path": path,
            "question": question,
        })
    });
    open.collect()
}

fn usage(state: &RunState) -> Value {
    let mut usage = json::into_object(json!(state.ledger.spent()));
    usage.insert("tool_calls".into(), state.ledger.calls().into());
    usage.insert("turns".into(), state.turn_number().into());
    usage.into()
}

/// What ended the run itself before its work was done.
fn errors(state: &RunState) -> Value {
    let faults = state.stops.iter().filter_map(|stop| match stop {
        Stop::Failed { fault } => {
            Some(json!({ "code": fault.code, "message": fault.message, "pointer": null }))
        }
        Stop::Budget { name, used, limit, .. } => {
            let message = format!("the limit `{name}` is spent: {used} of {limit}");
            Some(json!({ "code": "budget_exceeded", "message": message, "pointer": null }))
        }
        Stop::Stalled { count, .. } => {
            let message = format!("the same declaration came {count} times in a row");
            Some(json!({ "code": "stalled", "message": message, "pointer": null }))
        }
        Stop::Completed { .. } | Stop::Interrupted { .. } | Stop::Cancelled { .. } => None,
    });
    faults.collect()
}

fn declarations(events: &[Event]) -> impl DoubleEndedIterator<Item = &DeclarationAccepted> {
    events.iter().filter_map(|event| match &event.kind {
        EventKind::DeclarationAccepted(accepted) => match accepted.origin {
            Origin::Declaration | Origin::Submitted => Some(&**accepted),
            _ => None,
        },
        _ => None,
    })
}

/// The answer to the user: of a declaration, a report, or the last words of a model.
fn answer(state: &RunState, events: &[Event]) -> Value {
    let declared = declarations(events).rev().find_map(|accepted| accepted.answer.as_ref());
    if let Some(answer) = declared {
        return answer.shown().clone();
    }
    if let Some(report) = state.report() {
        return super::outcome::output_of(state, report);
    }
    let spoken =
        state.ended.filter(|_| state.has_model()).and_then(|_| state.shown().last_text().map(str::to_owned));
    spoken.map_or(Value::Null, Value::String)
}

fn price(events: &[Event]) -> Value {
    let newest = declarations(events).rev().find(|accepted| !accepted.price.is_empty());
    newest.map_or(Value::Null, |accepted| json!(accepted.price))
}

/// What the runtime expects next.
fn next(state: &RunState) -> Value {
    match () {
        () if state.ended.is_none() && !state.waits.is_empty() => "answer".into(),
        () if state.ended.is_none() => "work".into(),
        () if state.ended == Some(EndStatus::Completed) => "final_answer".into(),
        () => Value::Null,
    }
}
