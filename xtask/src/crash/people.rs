//! People and clients: they answer what a parked run waits for, and write when they please.

use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution, Verdict};
use provost_contract::json::{Object, into_object, object_or_empty};
use provost_contract::timestamp;
use provost_runtime::engine::About;
use provost_runtime::port::{
    ApprovalFilter, ClientToolTransition, Clock as _, PendingRequests, RememberedApproval, Stores,
};
use serde_json::{Value, json};

use super::scenario::{Answer, ClientAnswer, Letter, When};
use super::world::World;
use crate::Failure;

/// The kind of question whether a call took effect.
const IN_DOUBT: &str = "in_doubt";
/// Longer than anything waits.
const PATIENCE_MS: i64 = 400 * 24 * 3_600 * 1_000;

/// Answers everything that waits; says how much there was.
pub(super) async fn answer(world: &World, stores: &Stores) -> Result<usize, Failure> {
    Ok(answer_questions(world, stores).await? + answer_requests(world, stores).await?)
}

/// Posts the letters that come at a moment; posted again they are the same.
pub(super) async fn post(world: &World, stores: &Stores, when: When<'_>) -> Result<(), Failure> {
    let due = |(_, letter): &(usize, &Letter)| letter.when == when;
    for (place, letter) in world.scenario.letters.iter().enumerate().filter(due) {
        let id = format!("letter-{place}");
        stores.inbox.post(&world.run, &id, "ada", letter.signal.clone(), world.clock.now_ms()).await?;
    }
    Ok(())
}

/// What people said in an earlier run is there before this one begins.
pub(super) async fn remember(world: &World, stores: &Stores) -> Result<(), Failure> {
    let about: About = serde_json::from_value(object_or_empty(&world.scenario.options, "about").into())?;
    for tool in &world.scenario.remembered {
        let question = about.question(tool, ("tool_policy", "preview")).ok_or("the run is nobody's")?;
        let [by, at, run] = ["ada", "2026-05-01T00:00:00Z", "run_before"].map(str::to_owned);
        stores.memory.remember(RememberedApproval { question, by, at, run }).await?;
    }
    Ok(())
}

async fn answer_questions(world: &World, stores: &Stores) -> Result<usize, Failure> {
    let waiting = ApprovalFilter { status: Some(PendingActionStatus::Pending), ..ApprovalFilter::default() };
    let waiting = stores.approvals.list(&waiting).await?;
    let mut later = Vec::new();
    let mut answered = 0;
    for action in &waiting {
        match answer_to(world, action)? {
            Answer::Later(answer) => later.push((action, *answer)),
            answer => {
                give(world, stores, action, answer).await?;
                answered += 1;
            }
        }
    }
    // Who takes its time answers when there is nothing else to do.
    for (action, answer) in later.into_iter().filter(|_| answered == 0) {
        give(world, stores, action, answer).await?;
    }
    Ok(waiting.len())
}

/// What people say to a question: what they saw, or what the scenario says.
fn answer_to(world: &World, action: &PendingAction) -> Result<Answer, Failure> {
    let asked = action.to_object();
    if action.kind() == IN_DOUBT {
        return Ok(look(world, &asked)?.map_or(Answer::Accept, Answer::Witness));
    }
    let answers = &world.scenario.answers;
    let by_call = answers.get(text_of(&asked, "tool_call_id").as_str());
    let answer = by_call.or_else(|| answers.get(text_of(&asked, "tool_name").as_str()));
    answer.cloned().ok_or_else(|| format!("nobody was to be asked: {}", Value::Object(asked)).into())
}

async fn give(world: &World, stores: &Stores, action: &PendingAction, answer: Answer) -> Result<(), Failure> {
    let (verdict, metadata) = match answer {
        Answer::Accept => (Verdict::Accepted, json!({})),
        Answer::Remember => (Verdict::Accepted, json!({ "remember": true })),
        Answer::RememberAlways => (Verdict::Accepted, json!({ "remember": "always" })),
        Answer::Edit(parameters) => (Verdict::Accepted, json!({ "parameters": parameters })),
        Answer::Reject => (Verdict::Rejected, json!({ "reason": "Not today." })),
        Answer::Witness(result) => (Verdict::Rejected, json!({ "result": result })),
        Answer::Expire => {
            world.wait_until(world.clock.now_ms().saturating_add(PATIENCE_MS));
            return Ok(());
        }
        Answer::Later(_) | Answer::Ignore => return Ok(()),
    };
    let mut resolution = Resolution::new(verdict, "ada", &now(world))?;
    resolution.metadata = into_object(metadata);
    match stores.approvals.record_resolution(action.action_id(), resolution).await? {
        true => Ok(()),
        false => Err(format!("the decision about {} was not recorded", action.action_id()).into()),
    }
}

/// Looks whether a call took effect, and what it then gave.
fn look(world: &World, asked: &Object) -> Result<Option<Value>, Failure> {
    let (key, tool, call) =
        (text_of(asked, "key"), text_of(asked, "tool_name"), text_of(asked, "tool_call_id"));
    if key.is_empty() {
        return Err(format!("the question does not say which key: {}", Value::Object(asked.clone())).into());
    }
    if !world.ledger.happened(&key) {
        return Ok(None);
    }
    Ok(world.scenario.reply(&tool, &call)?.get("result").cloned())
}

/// What a question says about its call.
fn text_of(asked: &Object, field: &str) -> String {
    let places = ["apply_input", "preview", "metadata"].into_iter();
    let said = places.filter_map(|place| asked.get(place)?.get(field)?.as_str());
    said.map(str::to_owned).next().unwrap_or_default()
}

async fn answer_requests(world: &World, stores: &Stores) -> Result<usize, Failure> {
    let waiting = stores.client_tool_requests.pending(&PendingRequests::default()).await?;
    for request in &waiting {
        let transition = match world.scenario.client_answers.get(request.tool_name()) {
            Some(ClientAnswer::Result(result)) => ClientToolTransition::completed(result.clone()),
            Some(ClientAnswer::Timeout) => {
                world.wait_until(world.clock.now_ms().saturating_add(PATIENCE_MS));
                continue;
            }
            Some(ClientAnswer::Ignore) => continue,
            None => return Err(format!("no client knows {}", request.tool_name()).into()),
        };
        stores.client_tool_requests.transition(request.request_id(), transition).await?;
    }
    Ok(waiting.len())
}

fn now(world: &World) -> String {
    timestamp::iso8601(world.clock.now_ms().div_euclid(1_000))
}
