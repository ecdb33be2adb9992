//! Runs in which the host has a say.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_engine::event::{Continuation, Hook, HookAnswer};
use provost_engine::{Fault, Payload, Ruling, Verdict};
use serde_json::json;

use super::script::Scenario;
use super::turns::{Turn, calls, says};

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = about_calls();
    scenarios.extend(about_turns());
    scenarios
}

fn batch() -> [Turn; 2] {
    [
        calls([("a", "garden/water", 1), ("b", "garden/plant", 1), ("c", "garden/look", 1)]),
        says("One was refused."),
    ]
}

fn reject() -> HookAnswer {
    HookAnswer::Reject { fault: Fault::new("winter", "Not in winter."), result: None, completes: false }
}

fn message(text: &str) -> HookAnswer {
    HookAnswer::Message { messages: vec![Arc::new(Message::text("user", text))], record: Object::new() }
}

fn complete() -> HookAnswer {
    HookAnswer::Complete { reason: "done".into(), record: Object::new() }
}

fn ruled(verdict: Verdict) -> HookAnswer {
    HookAnswer::Proceed { ruling: Some(Box::new(Ruling::new(verdict, "season", "hook"))) }
}

fn about_calls() -> Vec<Scenario> {
    vec![
        Scenario::new("mediator-rejects", batch()).spec(|spec| spec.hooks.mediate = true).hook(
            |_, _, call| match call {
                "b" => reject(),
                _ => HookAnswer::NoOpinion,
            },
        ),
        Scenario::new("mediator-replaces", batch()).spec(|spec| spec.hooks.mediate = true).hook(
            |_, _, call| match call {
                "a" => HookAnswer::Replace {
                    payload: Payload::inline(json!({ "success": true, "result": 7 })),
                    completes: false,
                },
                _ => HookAnswer::NoOpinion,
            },
        ),
        Scenario::new("mediator-has-a-client-wait", batch()).spec(|spec| spec.hooks.mediate = true).hook(
            |_, _, call| match call {
                "b" => HookAnswer::Wait { result: Object::new() },
                _ => HookAnswer::NoOpinion,
            },
        ),
        Scenario::new("policy-hook-asks-and-denies", batch()).spec(|spec| spec.hooks.policy = true).hook(
            |_, _, call| match call {
                "a" => ruled(Verdict::Ask),
                "b" => ruled(Verdict::Deny),
                _ => HookAnswer::NoOpinion,
            },
        ),
        Scenario::new("diagnostics", batch())
            .spec(|spec| spec.hooks.after_tool = true)
            .hook(|_, _, call| HookAnswer::Note { value: json!({ "seen": call }) }),
        Scenario::new(
            "completion-policy",
            [
                calls([("a", "garden/look", 1), ("b", "garden/water", 1)]),
                calls([("c", "garden/plant", 1), ("d", "garden/note", 1)]),
                says("Never said."),
            ],
        )
        .spec(|spec| spec.hooks.completion = true)
        .hook(|_, turn, call| match (turn, call) {
            (1, "a") => message("Plant something, too."),
            (_, "c") => complete(),
            _ => HookAnswer::NoOpinion,
        }),
    ]
}

fn about_turns() -> Vec<Scenario> {
    let turns = || {
        [
            calls([("a", "garden/look", 1)]),
            calls([("b", "garden/water", 1)]),
            calls([("c", "garden/note", 1)]),
            says("Done."),
        ]
    };
    vec![
        Scenario::new("before-and-after-model", turns()).spec(|spec| {
            spec.hooks.before_model = true;
            spec.hooks.after_model = true;
        }),
        Scenario::new("interrupt-message", turns()).spec(|spec| spec.hooks.interrupt = true).hook(
            |_, _, turn| match turn {
                "2" => message("Wait!"),
                _ => HookAnswer::NoOpinion,
            },
        ),
        Scenario::new("interrupt-stops", turns())
            .spec(|spec| spec.hooks.interrupt = true)
            .hook(|_, _, turn| match turn {
                "3" => complete(),
                _ => HookAnswer::NoOpinion,
            })
            .ends("interrupted"),
        Scenario::new("host-continues", turns())
            .spec(|spec| spec.hooks.continuation = Continuation::Asked)
            .hook(|_, _, turn| match turn {
                "3" => complete(),
                _ => HookAnswer::Proceed { ruling: None },
            }),
        Scenario::new("on-stop", turns()).spec(|spec| spec.hooks.on_stop = true).hook(
            |hook, turn, _| match (hook, turn) {
                (Hook::OnStop, 4) => message("And the roses?"),
                _ => HookAnswer::NoOpinion,
            },
        ),
    ]
}
