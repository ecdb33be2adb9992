//! Events and effects as short lines.

use provost_engine::event::*;
use provost_engine::{ActionId, Effect, Event, EventKind};
use serde::Serialize;
use serde_json::Value;

fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value).unwrap() {
        Value::String(word) => word,
        Value::Object(members) => members["type"].as_str().unwrap().to_owned(),
        other => other.to_string(),
    }
}

fn ids(ids: &[ActionId]) -> String {
    ids.iter().map(ActionId::to_string).collect::<Vec<_>>().join(" ")
}

fn camel(name: &str) -> String {
    let upper = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('_').map(upper).collect()
}

/// An event in one short line: its name, and what tells it apart.
pub(crate) fn event_line(event: &Event) -> String {
    let rest = match &event.kind {
        EventKind::RunAccepted(_) | EventKind::HistoryCompacted(_) => String::new(),
        EventKind::RunClaimed(_) => format!("epoch {}", event.epoch),
        EventKind::SignalTaken(taken) => signal(taken),
        EventKind::RunStopping(stopping) => word(&stopping.stop),
        EventKind::RunEnded(ended) => word(ended.status),
        EventKind::ModelRequested(requested) => requested.request.to_string(),
        EventKind::ModelResponded(responded) => responded.request.to_string(),
        EventKind::ModelFailed(failed) => {
            let next = if failed.next.is_some() { " again" } else { "" };
            format!("{} {}{next}", failed.request, failed.fault.code)
        }
        EventKind::DeclarationAccepted(accepted) => declaration(accepted),
        EventKind::ResponseRefused(refused) => refused.code.clone(),
        EventKind::HookAnswered(answered) => format!("{} {}", word(answered.hook), word(&answered.answer)),
        EventKind::ActionStarted(started) => {
            let ActionStarted { action, attempt, phase, allowed_by, .. } = &**started;
            let phase = if *phase == Phase::Apply { " apply" } else { "" };
            let by = if *allowed_by == AllowedBy::Rule {
                String::new()
            } else {
                format!(" by {}", word(allowed_by))
            };
            format!("{action}#{attempt}{phase}{by}")
        }
        EventKind::ActionNoted(noted) => format!("{}#{} {}", noted.action, noted.attempt, word(&noted.note)),
        EventKind::AttemptEnded(ended) => {
            let AttemptEnded { action, attempt, outcome, next, .. } = &**ended;
            format!("{action}#{attempt} {}, next {}", word(outcome), word(next))
        }
        EventKind::ActionEnded(ended) => {
            let ActionEnded { action, status, reason, effect, .. } = &**ended;
            format!("{action} {} ({reason}), effect {}", word(status), word(effect))
        }
        EventKind::WaitOpened(opened) => {
            format!("w{} {} [{}]", opened.wait.number, opened.kind.as_str(), ids(&opened.actions))
        }
        EventKind::WaitSettled(settled) => {
            let answer = settled.answer.as_ref().map(|answer| format!(" {}", word(answer)));
            format!("w{} {}{}", settled.wait.number, word(settled.how), answer.unwrap_or_default())
        }
    };
    format!("{} {rest}", camel(event.kind.name())).trim().to_owned()
}

fn signal(taken: &SignalTaken) -> String {
    let ignored = taken.ignored.map(|code| format!(", ignored: {}", word(code)));
    format!("{}{}", word(&taken.body), ignored.unwrap_or_default())
}

fn declaration(accepted: &DeclarationAccepted) -> String {
    let add: Vec<String> = accepted.add.iter().map(|spec| format!("+{}", spec.id)).collect();
    let nested = match accepted.origin {
        Origin::Pipeline { .. } | Origin::Bridge { .. } => format!(" {}", word(accepted.origin)),
        _ => String::new(),
    };
    let what = if add.is_empty() { accepted.intent.clone() } else { add.join(" ") };
    format!("{what}{nested}")
}

/// An effect in one short line.
pub(crate) fn effect_line(effect: &Effect) -> String {
    match effect {
        Effect::Model { request, .. } => format!("Model {request}"),
        Effect::Hook { hook, .. } => format!("Hook {}", word(hook)),
        Effect::Preview { action } => format!("Preview {action}"),
        Effect::Execute(execute) => {
            let phase = if execute.phase == Phase::Apply { " apply" } else { "" };
            format!("Execute {}#{}{phase}", execute.action, execute.attempt)
        }
        Effect::Stop { action, attempt } => format!("Stop {action}#{attempt}"),
        Effect::Recover { action, attempt, .. } => format!("Recover {action}#{attempt}"),
        Effect::WakeAt(time) => format!("WakeAt {time}"),
    }
}
