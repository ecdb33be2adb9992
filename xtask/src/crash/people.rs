//! People and clients: they answer what waits, and write when they please.

use std::collections::BTreeMap;

use provost_engine::event::{ActionEnd, Answer, Decision, Lasts, Remember, Signal};
use provost_engine::{ActionId, Actor, ActorKind, Args, Covers, Payload, SignalPost, WorldEffect};
use provost_runtime::dispatch::Doors;
use provost_runtime::store::{AnswerError, PostError, Wait, WaitFilter};
use serde_json::{Value, json};

use super::scenario::{Doubt, Person, When, Work};
use super::world::{World, lock};
use crate::Failure;

/// A person.
pub(super) fn ada() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("crash")
}

/// Posts the letters that come at a moment; posted again they are the same. A run that is over takes none.
pub(super) async fn post(world: &World, when: When<'_>) {
    let due = world.scenario.letters.iter().enumerate().filter(|(_, letter)| letter.when == when);
    for (number, letter) in due {
        let Ok(run) = letter.run.parse() else { continue };
        let body = serde_json::to_value(&letter.signal).unwrap_or_default();
        let key = format!("letter-{number}");
        if lock(&world.posted).contains(&key) {
            continue;
        }
        let post = SignalPost { run, key: Some(key.clone()), from: ada(), body };
        match world.store.post(post).await {
            Ok(_) | Err(PostError::RunEnded { .. }) => {
                lock(&world.posted).insert(key);
            }
            Err(_) => {}
        }
    }
}

/// Answers everything that waits and has an answer.
pub(super) async fn answer_all(world: &World, doors: &Doors) -> Result<(), Failure> {
    let waits = world.store.waits(WaitFilter::default(), None, 1_000).await?.items;
    let parks = |wait: &Wait| matches!(wait.row.kind.as_str(), "approval" | "client" | "question");
    if waits.iter().any(parks) {
        post(world, When::Parked).await;
    }
    for wait in waits {
        if wait.row.kind == "signal" {
            let signal = Signal::External { name: "rain".into(), payload: json!({ "mm": 4 }) };
            let key = format!("rain-{}", wait.row.wait.number);
            if !lock(&world.posted).contains(&key) {
                let posted = doors.post(&wait.row.wait.run, signal, ada(), Some(key.clone())).await;
                posted.is_ok().then(|| lock(&world.posted).insert(key));
            }
            continue;
        }
        let Some(answer) = answer(world, &wait) else { continue };
        match doors.answer(&wait.row.wait, &answer, ada()).await {
            Ok(_)
            | Err(
                AnswerError::Settled { .. }
                | AnswerError::AlreadyAnswered { .. }
                | AnswerError::OtherBinding { .. }
                | AnswerError::RunEnded(_),
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn answer(world: &World, wait: &Wait) -> Option<Answer> {
    match wait.row.kind.as_str() {
        "approval" => verdicts(world, wait),
        "in_doubt" => about_doubt(world, wait),
        "client" | "question" | "input" => done(world.scenario.work),
        _ => None,
    }
}

fn done(work: Work) -> Option<Answer> {
    let (status, success) = match work {
        Work::Done => (ActionEnd::Completed, true),
        Work::Fails => (ActionEnd::Failed, false),
        Work::Silent => return None,
    };
    Some(Answer::Result {
        payload: Payload::inline(json!({ "success": success, "result": { "bed": 4 } })),
        status,
        satisfying: success,
        effect: WorldEffect::None,
        usage: provost_engine::Usage::default(),
    })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn verdicts(world: &World, wait: &Wait) -> Option<Answer> {
    let shown = wait.row.ask.get("actions").and_then(Value::as_array)?;
    let mut verdicts = BTreeMap::new();
    let mut remember = None;
    for action in shown {
        let id: ActionId = serde_json::from_value(action.get("action")?.clone()).ok()?;
        let decision = match world.scenario.decides(text(action, "operation"), text(action, "label")) {
            Person::Silent => return None,
            Person::Accept => Decision::Approve { edit: None },
            Person::Remember => {
                remember = Some(Remember { lasts: Lasts::Run, covers: Covers::Tool });
                Decision::Approve { edit: None }
            }
            Person::RememberAlways => {
                remember = Some(Remember { lasts: Lasts::Always, covers: Covers::Tool });
                Decision::Approve { edit: None }
            }
            Person::Reject => Decision::Reject { reason: "Not today.".into() },
            Person::Edit => {
                let arguments = json!({ "bed": 9 }).as_object().cloned().unwrap_or_default();
                Decision::Approve { edit: Some(Args::open(arguments)) }
            }
        };
        verdicts.insert(id, decision);
    }
    Some(Answer::Verdicts { verdicts, remember, binding: wait.row.binding, reason: String::new() })
}

/// A person who looks waits until nothing of the attempt runs any more.
fn about_doubt(world: &World, wait: &Wait) -> Option<Answer> {
    let action = wait.row.actions.first()?.to_string();
    let happened = || Answer::Happened {
        payload: Payload::inline(json!({ "call": "seen" })),
        reason: "I looked.".into(),
    };
    let again = Answer::Again { reason: "Nothing there.".into() };
    match world.scenario.doubt {
        Doubt::Looks if !lock(&world.orphans).is_empty() => None,
        Doubt::Looks if world.ledger.has_action(wait.row.wait.run.as_str(), &action) => Some(happened()),
        Doubt::Looks | Doubt::Again => Some(again),
        Doubt::Leave => Some(Answer::Leave { reason: "Let it be.".into() }),
        Doubt::Happened => Some(happened()),
    }
}
