//! Operation `schedule`: a graph whose outcomes are written down beforehand, run in waves.

use std::sync::Arc;

use provost_contract::Action;
use provost_contract::action::Idempotency;
use provost_protocol::Strategy;
use provost_protocol::schedule::{
    Attempt, Barrier, CheckedGraph, Ending, Goal, Limits, Rules, ScheduledAction, Start, waves,
};
use serde_json::{Value, json};

use super::super::{Answer, input, list, text};

pub(super) fn run(case: &Value) -> Answer {
    let max_parallel = input(case, "max_parallel").as_u64().and_then(|limit| usize::try_from(limit).ok());
    let strategy: Strategy = text(case, "strategy").parse().unwrap_or_default();
    // The limit is the runtime's own: no model can mend it by trying again.
    let limits = Limits::new(max_parallel.unwrap_or_default(), strategy)
        .map_err(|error| with_retry(error.to_value(), false))?;
    let actions = actions(list(case, "actions"))?;
    // The executors behind a script have no effects, so they may be repeated.
    let rules = Rules { idempotency: Idempotency::Pure, ..Rules::default() };
    let actions: Vec<ScheduledAction<'_>> =
        actions.iter().map(|action| ScheduledAction { action, rules }).collect();
    let graph = CheckedGraph::build(&actions, |_| false).map_err(|faults| {
        with_retry(faults.first().map(|fault| fault.to_error(&actions).to_value()).unwrap_or_default(), true)
    })?;
    let cancel_after = input(case, "cancel_after_wave").as_u64().and_then(|wave| usize::try_from(wave).ok());
    let barrier =
        waves(Arc::new(graph), limits, cancel_after, |start| scripted(list(case, "actions"), start));
    Ok(told(&barrier))
}

/// The wire form of an action without what only the script knows.
fn actions(wires: &[Value]) -> Result<Vec<Action>, Value> {
    let declared = wires.iter().map(|wire| {
        let mut wire = wire.clone();
        if let Some(fields) = wire.as_object_mut() {
            fields.shift_remove("outcome");
        }
        Ok(Action::parse(&wire)?)
    });
    declared.collect()
}

/// The outcome the script has for an attempt; the last one holds for every later attempt.
fn scripted(actions: &[Value], start: Start) -> Attempt {
    let outcome = actions.get(start.at).map_or(&Value::Null, |action| input(action, "outcome"));
    let word = match outcome.as_array() {
        Some(attempts) => attempts.get(start.attempt as usize - 1).or(attempts.last()),
        None => Some(outcome),
    };
    match word.and_then(Value::as_str) {
        Some("completed") => Attempt::Ended(Ending::Completed(Goal::Reached)),
        Some("blocked") => Attempt::Ended(Ending::Denied),
        Some("waiting") => Attempt::Waiting,
        _ => Attempt::Ended(Ending::Failed),
    }
}

fn told(barrier: &Barrier) -> Value {
    let graph = barrier.schedule.graph();
    let ids = |wave: &Vec<usize>| wave.iter().filter_map(|at| graph.id(*at)).collect::<Vec<_>>();
    let statuses: serde_json::Map<String, Value> =
        barrier.schedule.statuses().map(|(id, status)| (id.to_string(), json!(status))).collect();
    json!({
        "waves": barrier.waves.iter().map(ids).collect::<Vec<_>>(),
        "statuses": statuses,
        "run_status": barrier.schedule.graph_status(),
    })
}

fn with_retry(mut error: Value, retry: bool) -> Value {
    if let Some(fields) = error.as_object_mut() {
        fields.insert("retry".into(), retry.into());
    }
    error
}
