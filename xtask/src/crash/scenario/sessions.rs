//! Runs of a stored session.

use serde_json::json;

use super::approvals::policy;
use super::script::{Answer, Scenario, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        Scenario::new(
            "session",
            [calls([("a", "garden/water", 1), ("b", "garden/look", 1)]), says("Watered.")],
        )
        .options(json!({ "session_id": "session-1" })),
        Scenario::new("session-parked", [calls([("a", "garden/water", 1)]), says("Watered.")])
            .options(policy("preview"))
            .options(json!({ "session_id": "session-1" }))
            .answers("garden/water", Answer::Accept),
        Scenario::new("session-without-calls", [says("All is well.")])
            .options(json!({ "session_id": "session-1" })),
    ]
}
