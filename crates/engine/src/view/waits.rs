//! What a run waits for, as people and clients are asked: everything that the journal says about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolFacts;
use serde_json::Value;

use super::shown::called;
use super::waiting::{self, asked};
use crate::event::{Event, EventKind, WaitKind, WaitOpened};
use crate::state::{Action, Illegal, RunState};
use crate::{ActionId, Agent, Digest, Payload, Time, WaitId};

/// One action that waits. A question about several actions gives one for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The wait: what an answer names.
    pub wait: WaitId,
    /// What is waited for.
    pub kind: WaitKind,
    /// The action.
    pub action: ActionId,
    /// What the model or provider calls the action.
    pub label: String,
    /// The turn that asked for it.
    pub turn: u32,
    /// The tool, or the verb of an action without one.
    pub tool: String,
    /// The arguments as the journal has them; secrets are redacted.
    pub arguments: Object,
    /// The question in one sentence; empty when neither a person nor a client is asked.
    pub summary: String,
    /// What would happen, as it was found out when the question was asked.
    pub preview: Value,
    /// The layer and the rule that ask.
    pub rule: Option<(String, String)>,
    /// Why the rule asks.
    pub reason: String,
    /// Where the rule is written; empty when that is not known.
    pub source: String,
    /// The agent that asks.
    pub agent: String,
    /// What the tool does to the world.
    pub facts: ToolFacts,
    /// The file or folder that the action is about, relative to the workspace, as the policy found it.
    pub place: Option<String>,
    /// Whether the question is what became of the action, and not whether it may run.
    pub in_doubt: bool,
    /// Whether only a person may answer, about exactly this call.
    pub person_only: bool,
    /// Whether the tool itself asks, in the middle of its work. Its own preview is the one that counts.
    pub asked_by_tool: bool,
    /// The proposal of an approval, or the request that a client gets; null for everything else.
    pub envelope: Value,
    /// What the answer must look like.
    pub schema: Option<Payload>,
    /// What the answer is bound to.
    pub binding: Digest,
    /// Who may answer; empty means every authenticated actor.
    pub may_answer: Vec<String>,
    /// When it was asked.
    pub asked_at: Time,
    /// When the clock answers.
    pub due: Option<Time>,
}

/// Returns everything that a run waits for, in the order in which it was asked.
///
/// # Errors
/// If an event cannot follow from the ones before it.
pub fn waits(
    agent: &Arc<Agent>,
    history: &[Arc<Message>],
    events: &[Event],
) -> Result<Vec<Pending>, Illegal> {
    let state = RunState::fold(agent.clone(), history.to_vec(), events)?;
    Ok(open_waits(&state, events))
}

/// Returns the same of a state and the events that made it.
pub fn open_waits(state: &RunState, events: &[Event]) -> Vec<Pending> {
    let mut opened: BTreeMap<u32, (&WaitOpened, Time)> = BTreeMap::new();
    for event in events {
        if let EventKind::WaitOpened(wait) = &event.kind
            && state.waits.contains_key(&wait.wait.number)
        {
            opened.insert(wait.wait.number, (wait, event.at));
        }
    }
    let each = opened.into_values().flat_map(|(wait, at)| {
        let actions = wait.actions.iter().filter_map(|id| state.action(*id));
        actions.map(move |action| pending(state, action, wait, at))
    });
    each.collect()
}

/// What one action waits for.
pub(super) fn pending(state: &RunState, action: &Action, opened: &WaitOpened, at: Time) -> Pending {
    let call = called(state, action);
    let envelope = asked(state, action, &call, opened, at).map(|asked| asked.value).unwrap_or_default();
    let ask = opened.ask.shown();
    let text = |pointer: &str| envelope.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let is_client = opened.kind == WaitKind::Client;
    let summary = match is_client {
        true => format!("{} waits for a client.", call.name),
        false => text("/payload/summary").to_owned(),
    };
    Pending {
        wait: opened.wait.clone(),
        kind: opened.kind.clone(),
        action: action.spec.id,
        label: call.label,
        turn: call.turn,
        tool: call.name,
        arguments: call.parameters,
        summary,
        preview: waiting::preview(opened, &envelope),
        rule: rule(opened, action, &envelope),
        reason: of_ruling(opened, action, &envelope, "/reason"),
        source: of_ruling(opened, action, &envelope, "/inputs/source"),
        agent: state.spec.agent.clone(),
        facts: action.spec.facts.clone(),
        place: state.place(action),
        in_doubt: matches!(opened.kind, WaitKind::InDoubt { .. }),
        person_only: is_person_only(ask, &envelope),
        asked_by_tool: waiting::proposed(opened).is_some(),
        envelope,
        schema: opened.schema.clone(),
        binding: opened.binding,
        may_answer: opened.may_answer.clone(),
        asked_at: at,
        due: opened.due,
    }
}

fn rule(opened: &WaitOpened, action: &Action, envelope: &Value) -> Option<(String, String)> {
    let of_tool = || envelope.pointer("/payload/metadata/decision");
    let decision = waiting::ruling(opened, action).or_else(of_tool)?;
    let text = |key: &str| decision.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text("layer")?, text("rule")?))
}

fn of_ruling(opened: &WaitOpened, action: &Action, envelope: &Value, pointer: &str) -> String {
    let of_tool = || envelope.pointer("/payload/metadata/decision");
    let decision = waiting::ruling(opened, action).or_else(of_tool);
    let text = decision.and_then(|decision| decision.pointer(pointer)).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

fn is_person_only(ask: &Value, envelope: &Value) -> bool {
    let yes = Some(&Value::Bool(true));
    ask.get("person_only") == yes || envelope.pointer("/payload/metadata/person_only") == yes
}
