//! Where a run stands, derived.

use serde_json::{Value, json};

use crate::due::{Effect, due};
use crate::event::{EndStatus, Stop};
use crate::react::Now;
use crate::state::RunState;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// No worker has taken it yet.
    Queued,
    /// Something is under way, or follows by itself.
    Running,
    /// It rests until a wait is answered.
    Waiting,
    /// It is cancelled, and work is still open.
    Cancelling,
    /// It is over.
    Ended(EndStatus),
}

impl RunStatus {
    /// Returns the word that rows and lists use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Cancelling => "cancelling",
            Self::Ended(status) => status.into(),
        }
    }
}

/// Returns where a run stands.
pub fn status(state: &RunState, now: &Now) -> RunStatus {
    if let Some(ended) = state.ended {
        return RunStatus::Ended(ended);
    }
    if !state.claimed {
        return RunStatus::Queued;
    }
    if state.cancel.is_some() {
        return RunStatus::Cancelling;
    }
    let under_way = due(state, now).iter().any(|effect| !matches!(effect, Effect::WakeAt(_)));
    if under_way || state.waits.is_empty() { RunStatus::Running } else { RunStatus::Waiting }
}

/// Returns what lists show of a run.
pub fn summary(state: &RunState) -> Value {
    let waits: Vec<&str> = state.waits.values().map(|wait| wait.kind.as_str()).collect();
    let stop = state.stops.iter().max_by_key(|stop| stop.status()).map(stop_reason);
    json!({
        "mode": state.spec.mode,
        "turns": state.turn_number(),
        "calls": state.ledger.calls(),
        "usage": state.ledger.spent(),
        "waits": waits,
        "stop": stop,
        "effect": state.world_effect(),
        "labels": state.spec.labels,
    })
}

fn stop_reason(stop: &Stop) -> Value {
    match stop {
        Stop::Completed { by } => json!({ "status": "completed", "by": by }),
        Stop::Budget { name, used, limit, .. } => {
            json!({ "status": "budget_exceeded", "budget": name, "used": used, "limit": limit })
        }
        Stop::Stalled { count, .. } => json!({ "status": "stalled", "count": count }),
        Stop::Interrupted { code, .. } => json!({ "status": "interrupted", "code": code }),
        Stop::Failed { fault } => json!({ "status": "failed", "code": fault.code }),
        Stop::Cancelled { signal } => json!({ "status": "cancelled", "signal": signal }),
    }
}
