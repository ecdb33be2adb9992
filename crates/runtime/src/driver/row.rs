//! The row of a run, for lists and queues.

use crate::RunId;
use crate::engine::{RunState, Stage, WaitsFor};
use crate::port::{RunRow, Seq};
use provost_contract::timestamp;
use serde_json::Value;

const SUMMARY_CHARS_MAX: usize = 120;

/// The row as the state has it.
pub fn run_row(run: &RunId, state: &RunState, head: Seq, now_ms: i64) -> RunRow {
    let about = &state.spec.about;
    RunRow {
        run: run.clone(),
        workspace: about.workspace.clone(),
        agent: about.agent.clone(),
        session: state.spec.session.as_ref().map(|session| session.id.clone()),
        parent: about.parent.as_ref().and_then(|parent| parent.parse().ok()),
        status: state.ended.map_or("running", <&str>::from).to_owned(),
        created_at_ms: state.started_at_ms,
        updated_at_ms: now_ms,
        head,
        wake_at_ms: wake_at(state),
        summary: summary(state),
    }
}

/// When the first thing the run waits for runs out of time.
fn wake_at(state: &RunState) -> Option<i64> {
    let ends = state.batch.in_stage(Stage::Waiting).filter_map(|(_, call)| {
        let end = match &call.waits.as_ref()?.waits_for {
            WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => proposal.expires_at(),
            WaitsFor::Client(request) => request.get("timeout_at").and_then(Value::as_str),
        };
        timestamp::unix_seconds(end?).map(|seconds| seconds.saturating_mul(1_000))
    });
    ends.min()
}

/// The first line of what was asked, or of the answer once there is one.
fn summary(state: &RunState) -> String {
    let answer = state.history.final_content(state.history.len());
    // The instructions of the agent come first, and are the same for each of its runs.
    let mut spoken = state.history.iter().filter(|message| message.role() == "user");
    let mut asked = || spoken.find_map(|message| message.content.as_text().map(str::to_owned));
    let text = if answer.is_empty() { asked().unwrap_or_default() } else { answer.to_owned() };
    text.lines().next().unwrap_or_default().chars().take(SUMMARY_CHARS_MAX).collect()
}
