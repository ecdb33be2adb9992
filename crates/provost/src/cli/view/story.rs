//! What a run did, turn by turn.

use std::collections::BTreeMap;

use provost_contract::timestamp;
use provost_runtime::engine::{Event, Kind, RunState, WaitsFor};
use provost_runtime::port::RunRow;
use serde_json::Value;

use crate::cli::journal::Read;
use crate::cli::live::shown;
use crate::cli::pending::describe;

/// The run in lines.
pub(in crate::cli) fn story(row: &RunRow, read: &Read) -> String {
    let began = timestamp::date_time(row.created_at_ms.div_euclid(1_000));
    let mut lines = vec![
        format!("{}: {}", row.run, row.status),
        format!("  agent {}, project {}, began {began} UTC", row.agent, row.workspace),
    ];
    let mut state = None::<RunState>;
    // Calls that run at once end in any order; people read them in the model's.
    let mut settled: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for event in &read.events {
        match &mut state {
            None => state = RunState::begin(event),
            Some(state) => state.apply(event),
        }
        let Some(state) = &state else { continue };
        let told = of_event(state, event);
        if let Kind::CallSettled(ended) = &event.kind {
            settled.entry(ended.call).or_default().extend(told);
        } else if !told.is_empty() {
            lines.extend(std::mem::take(&mut settled).into_values().flatten());
            lines.extend(told);
        }
    }
    let tokens = read.state.records.usage().get("total_tokens").and_then(Value::as_u64).unwrap_or_default();
    lines.push(format!("{} turns, {} results, {tokens} tokens", read.state.turn, read.state.records.results));
    lines.join("\n")
}

fn of_event(state: &RunState, event: &Event) -> Vec<String> {
    let call = |place: usize| state.batch.call(place).map(|call| call.declared.clone());
    let name = |place: usize| call(place).map(|call| call.name.clone()).unwrap_or_default();
    match &event.kind {
        Kind::TurnStarted(started) => vec![format!("turn {}", started.turn)],
        Kind::CallOpened(opened) => {
            let call = call(opened.call);
            call.map(|call| format!("  > {:<10} {}", call.name, shown(&call.parameters)))
                .into_iter()
                .collect()
        }
        Kind::CallSettled(settled) => {
            let mark = if settled.success() { '<' } else { 'x' };
            let said = settled.result.get("metadata").and_then(|metadata| metadata.get("summary"));
            let said =
                said.or_else(|| settled.result.get("error")).and_then(Value::as_str).unwrap_or_default();
            vec![format!("  {mark} {:<10} {said}", name(settled.call))]
        }
        Kind::CallWaits(waits) => waiting(&name(waits.call), &waits.waits_for),
        Kind::CallApproved(approved) => {
            let by = approved.approval.get("by").and_then(Value::as_str).unwrap_or("somebody");
            vec![format!("  + {:<10} allowed by {by}", name(approved.call))]
        }
        Kind::TurnFailed(failed) => {
            let why = failed.failure.get("message").and_then(Value::as_str).unwrap_or_default();
            vec![format!("  ! {why}")]
        }
        Kind::BudgetExceeded(over) => {
            vec![format!("  ! budget {} is used up: {} of {}", over.budget, over.current, over.ceiling)]
        }
        Kind::CancelAsked(asked) => vec![format!("  ! {} wants it stopped", asked.by)],
        Kind::RunParked(parked) => vec![format!("parked: {}", <&str>::from(parked.status))],
        Kind::RunResumed(_) => vec!["resumed".to_owned()],
        Kind::RunEnded(ended) => vec![format!("ended: {}", <&str>::from(ended.status))],
        Kind::LoopStalled(_) => vec!["  ! the model repeats itself".to_owned()],
        Kind::MessageQueued(queued) => vec![format!("  ! {} said something", queued.by)],
        Kind::RunBroken(broken) => vec![format!("  ! {}", broken.message)],
        Kind::RunStarted(_)
        | Kind::SessionLocked(_)
        | Kind::SessionContended(_)
        | Kind::HistoryCompacted(_)
        | Kind::TurnAnswered(_)
        | Kind::ActionStarted(_)
        | Kind::CompletionJudged(_)
        | Kind::CompletionBlocked(_)
        | Kind::ContinuationAdded(_)
        | Kind::InterruptHeard(_)
        | Kind::ContinueJudged(_) => Vec::new(),
    }
}

fn waiting(tool: &str, waits_for: &WaitsFor) -> Vec<String> {
    match waits_for {
        WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => {
            let payload = proposal.envelope.get("payload").cloned().unwrap_or_default();
            let mut lines = vec![format!("  ? {tool:<10} asks")];
            lines.extend(
                describe(payload.get("preview").unwrap_or(&Value::Null))
                    .lines()
                    .map(|line| format!("      {line}")),
            );
            lines
        }
        WaitsFor::Client(_) => vec![format!("  ? {tool:<10} waits for a client")],
    }
}
