//! Runs in which people decide about calls.

use serde_json::{Value, json};

use super::script::{Answer, Recall, Scenario, calls, says, succeeded};
use super::tools::names;

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = vec![
        asked("approval-accepted").answers("garden/water", Answer::Accept),
        asked("approval-accepted-and-in-doubt")
            .answers("garden/water", Answer::Accept)
            .recall(Recall::Forgets),
        asked("approval-rejected").answers("garden/water", Answer::Reject),
        asked("approval-edited").answers("garden/water", Answer::Edit(json!({ "bed": 9 }))),
        asked("approval-expired")
            .answers("garden/water", Answer::Expire)
            .options(json!({ "limits": limits(Some(60_000)) })),
        Scenario::new("policy-forbids", work()).options(policy("forbidden")),
    ];
    scenarios.extend(several());
    scenarios.extend([
        proposing("tool-proposes-and-is-accepted").answers("garden/propose", Answer::Accept),
        proposing("tool-proposes-and-is-rejected").answers("garden/propose", Answer::Reject),
    ]);
    scenarios
}

/// Two calls that are asked about, among others.
fn batch() -> [Value; 2] {
    let calls = calls([
        ("a", "garden/water", 1),
        ("b", "garden/look", 1),
        ("c", "garden/water", 2),
        ("d", "garden/plant", 1),
    ]);
    [calls, says("Done.")]
}

/// A run that says whose it is, so that a yes can outlive it.
fn owned(name: &'static str) -> Scenario {
    let about = json!({ "workspace": "/garden", "agent": "gardener", "principal": { "acting_user_id": 7 } });
    Scenario::new(name, batch()).options(policy("preview")).options(json!({ "about": about }))
}

/// Some are decided at once, some later, some one way and some the other.
fn several() -> Vec<Scenario> {
    vec![
        Scenario::new("approvals-of-a-batch", batch())
            .options(policy("preview"))
            .answers("a", Answer::Accept)
            .answers("c", Answer::Reject),
        Scenario::new("approvals-one-by-one", batch())
            .options(policy("preview"))
            .answers("a", Answer::Accept)
            .answers("c", Answer::Later(Box::new(Answer::Accept))),
        Scenario::new("approval-remembered", batch())
            .options(policy("preview"))
            .answers("a", Answer::Remember)
            .answers("c", Answer::Later(Box::new(Answer::Accept))),
        owned("approval-remembered-for-later-runs")
            .answers("a", Answer::RememberAlways)
            .answers("c", Answer::Later(Box::new(Answer::Accept))),
        owned("approval-remembered-by-an-earlier-run").remembered("garden/water"),
        Scenario::new(
            "approvals-turn-by-turn",
            [
                calls([("a", "garden/water", 1)]),
                calls([("b", "garden/water", 2), ("c", "garden/note", 1)]),
                says("Done."),
            ],
        )
        .options(policy("preview"))
        .answers("garden/water", Answer::Accept),
    ]
}

/// The tool itself asks before it acts.
fn proposing(name: &'static str) -> Scenario {
    let question = json!({
        "action_id": "act-1",
        "kind": "garden.prune",
        "summary": "Prune the roses",
        "preview": {},
        "apply_input": { "tool_name": "garden/propose" },
        "created_at": "2026-05-28T20:26:40Z",
    });
    Scenario::new(
        name,
        [calls([("a", "garden/propose", 1), ("b", "garden/water", 1)]), says("Pruned, or not.")],
    )
    .replies(
        "garden/propose",
        succeeded(json!({
            "schema": "agents-api.message",
            "version": 1,
            "type": "approval_required",
            "role": "tool",
            "content": "Prune the roses?",
            "payload": question,
        })),
    )
}

fn asked(name: &'static str) -> Scenario {
    Scenario::new(name, work()).options(policy("preview"))
}

fn work() -> [Value; 2] {
    [calls([("a", "garden/look", 1), ("b", "garden/water", 1), ("c", "garden/note", 1)]), says("Done.")]
}

/// How `garden/water` may run.
pub(super) fn policy(water: &str) -> Value {
    json!({ "policy": {
        "tool_policy": { "mode": "allow", "tools": names() },
        "action_policy": { "tools": { "garden/water": water } },
    } })
}

fn limits(approval_ms_max: Option<u64>) -> Value {
    json!({
        "parallel_max": 8,
        "model_ms_max": 600_000,
        "tool_ms_max": 600_000,
        "hook_ms_max": 30_000,
        "approval_ms_max": approval_ms_max,
    })
}
