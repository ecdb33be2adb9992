//! Runs in which the host has a say: policy, mediator, diagnostics, completion policy, interrupts, continuation, compaction, gate.

use std::sync::Arc;

use serde_json::{Value, json};

use super::script::{Answer, Hooks, Scenario, calls, failed, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = mediation();
    scenarios.extend(policies());
    scenarios.push(diagnostics());
    scenarios.extend(between_turns());
    scenarios.extend(transcripts());
    scenarios
}

fn mediator(decide: impl Fn(u64, &str) -> Value + Send + Sync + 'static) -> Hooks {
    Hooks { mediator: Some(Arc::new(decide)), ..Hooks::default() }
}

fn completion(judge: impl Fn(u64, &str) -> Value + Send + Sync + 'static) -> Hooks {
    Hooks { completion: Some(Arc::new(judge)), ..Hooks::default() }
}

fn interrupts(ask: impl Fn(u64, &str) -> Value + Send + Sync + 'static) -> Hooks {
    Hooks { interrupts: Some(Arc::new(ask)), ..Hooks::default() }
}

fn mediation() -> Vec<Scenario> {
    let batch = || calls([("a", "garden/water", 1), ("b", "garden/plant", 1), ("c", "garden/look", 1)]);
    vec![
        Scenario::new("mediator-rejects", [batch(), says("One was refused.")]).hooks(mediator(|_, call| {
            match call {
                "b" => json!({ "action": "reject", "error": "Not in winter." }),
                _ => json!({ "action": "proceed" }),
            }
        })),
        Scenario::new("mediator-replaces", [batch(), says("One was answered.")]).hooks(mediator(
            |_, call| match call {
                "a" => json!({ "action": "replace_result", "result": { "success": true, "result": 7 } }),
                _ => Value::Null,
            },
        )),
        Scenario::new(
            "completion-policy",
            [
                calls([("a", "garden/look", 1), ("b", "garden/water", 1)]),
                calls([("c", "garden/plant", 1), ("d", "garden/note", 1)]),
                says("Never said."),
            ],
        )
        .hooks(completion(|turn, tool| match (turn, tool) {
            (1, _) => json!({ "complete": false, "message": "Plant something, too." }),
            (_, "garden/plant") => json!({ "complete": true, "context": { "by": "plant" } }),
            _ => json!({}),
        })),
    ]
}

/// The provider allows, forbids, asks or fails, each beside calls it has no opinion about.
fn policies() -> Vec<Scenario> {
    let says_of_b = |name: &'static str, word: &'static str| {
        let turns = [
            calls([("a", "garden/water", 1), ("b", "garden/plant", 1), ("c", "garden/look", 1)]),
            calls([("d", "garden/note", 1)]),
            says("As the season allows."),
        ];
        let rule = move |_: u64, call: &str| if call == "b" { word.into() } else { Value::Null };
        Scenario::new(name, turns).hooks(Hooks { policy: Some(Arc::new(rule)), ..Hooks::default() })
    };
    vec![
        says_of_b("policy-provider-allows", "direct"),
        says_of_b("policy-provider-forbids", "forbidden"),
        says_of_b("policy-provider-asks", "preview").answers("garden/plant", Answer::Accept),
        says_of_b("policy-provider-asks-and-is-told-no", "preview").answers("garden/plant", Answer::Reject),
        says_of_b("policy-provider-fails", "no such word"),
    ]
}

/// Notes stand beside results of every kind: one that worked, one that failed, one that was refused.
fn diagnostics() -> Scenario {
    let notes = |turn: u64, call: &str| match call {
        "c" => Value::Null,
        _ => json!({ "trace": format!("trace-{turn}-{call}") }),
    };
    let mediate = |_: u64, call: &str| match call {
        "d" => json!({ "action": "reject", "error": "Not in winter." }),
        _ => Value::Null,
    };
    Scenario::new(
        "result-diagnostics",
        [
            calls([("a", "garden/water", 1), ("b", "garden/plant", 1)]),
            calls([("c", "garden/look", 1), ("d", "garden/plant", 2)]),
            says("Noted."),
        ],
    )
    .replies("b", failed("Frozen."))
    .hooks(Hooks {
        diagnostics: Some(Arc::new(notes)),
        mediator: Some(Arc::new(mediate)),
        ..Hooks::default()
    })
}

fn between_turns() -> Vec<Scenario> {
    let turns = || {
        [
            calls([("a", "garden/look", 1)]),
            calls([("b", "garden/water", 1)]),
            calls([("c", "garden/look", 1)]),
            says("Done."),
        ]
    };
    let word = |action: &'static str| {
        move |turn: u64, _: &str| match turn {
            2 => json!({ "role": "user", "content": "Wait!", "metadata": { "action": action } }),
            _ => Value::Null,
        }
    };
    vec![
        Scenario::new("interrupt-message", turns()).hooks(interrupts(word("message"))),
        Scenario::new("interrupt-cancel", turns()).hooks(interrupts(word("cancel"))).ends("interrupted"),
        Scenario::new("host-continues", turns())
            .hooks(Hooks { continuation: Some(Arc::new(|turn, _| (turn < 3).into())), ..Hooks::default() }),
    ]
}

fn transcripts() -> Vec<Scenario> {
    let lines = (0..8).map(|line| {
        let role = if line % 2 == 0 { "user" } else { "assistant" };
        json!({ "role": role, "content": format!("line {line}") })
    });
    vec![
        Scenario::new(
            "compaction",
            [calls([("a", "garden/look", 1)]), calls([("b", "garden/water", 1)]), says("Short again.")],
        )
        .messages(lines)
        .options(json!({ "compaction_policy": { "enabled": true, "max_messages": 6, "recent_messages": 3 } }))
        .hooks(Hooks {
            summariser: Some(Arc::new(|messages, _| format!("{messages} messages.").into())),
            ..Hooks::default()
        }),
        Scenario::new(
            "gate-blocks-completion",
            [says("I would look."), calls([("a", "garden/look", 1)]), says("Seen.")],
        )
        .options(json!({ "tool_call_rules": [{ "id": "work", "require_tool_use": true }] })),
        Scenario::new(
            "continuation-messages",
            [
                json!({
                    "content": "",
                    "tool_calls": [{ "id": "a", "name": "garden/note", "parameters": { "bed": 1 } }],
                    "continuation_messages": [{ "role": "user", "content": "Go on." }],
                }),
                says("Done."),
            ],
        ),
    ]
}
