//! What a protocol model is shown of a run: its instructions, and one page with requests, declarations and their
//! observations.

use provost_contract::action::{self, ActionStatus, ExecutorRef, ExecutorType, Observation, Target};
use provost_contract::message::MessageType;
use provost_contract::{Message, json};
use provost_protocol::TokenCounter;
use provost_protocol::transcript::GraphStatus as Status;
use provost_protocol::transcript::{Call, Declared as Shortened, Frontier, Replay, Run, Transcript, Turn};

use super::observation::{label, observation};
use crate::event::ExecutorKind;
use crate::state::{Action, BESIDE_DECLARATION, Declared, REFUSED_DECLARATION, RunState};
use crate::{Replaying, Seq, Usage};

/// A request to a protocol model, in its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What the model is instructed to do, without what the runtime offers.
    pub instructions: Vec<String>,
    /// The history, and what is expected next.
    pub text: String,
    /// How many tokens the history has, and how many of them are observations.
    pub measure: Usage,
}

/// Returns the page of a run whose results are known whole. A history that is longer than the agent's model may be
/// shown gives way at its beginning.
pub fn page(state: &RunState, counter: &dyn TokenCounter) -> Page {
    let settings = &state.agent.spec.protocol;
    let (instructions, turns) = turns(state, counter);
    let replay = match settings.replay {
        Replaying::Hybrid => Replay::default(),
        Replaying::Full => Replay::Full,
        Replaying::Compressed => Replay::Compressed,
    };
    let most = settings.history_tokens();
    let frontier = frontier(state, was_shortened(&turns));
    let mut text = Transcript::of(turns.clone(), replay).request(&frontier);
    if !counter.fits(&text, most) {
        text = shortened(turns.clone(), &frontier, most, counter);
    }
    let observed = |turn: &Turn| match turn {
        Turn::Run(run) => run.calls.iter().map(|call| counter.count(&call.result.content)).sum(),
        _ => 0,
    };
    let observations: u64 = turns.iter().map(observed).sum();
    let all = counter.count(&text);
    let measure = [("history", all.saturating_sub(observations)), ("observations", observations.min(all))];
    let measure = Usage(measure.into_iter().map(|(name, tokens)| (name.to_owned(), tokens)).collect());
    Page { instructions, text, measure }
}

fn was_shortened(turns: &[Turn]) -> bool {
    turns.iter().any(|turn| matches!(turn, Turn::Compacted { .. }))
}

/// The history within a number of tokens: declarations give way to their summaries first, then the oldest turns go.
/// What the user asked for first stays.
fn shortened(turns: Vec<Turn>, frontier: &Frontier, most: u64, counter: &dyn TokenCounter) -> String {
    let first = turns.iter().position(|turn| matches!(turn, Turn::User { .. }));
    let mut gone = 0;
    loop {
        let kept = turns.iter().enumerate().filter(|(at, _)| *at >= gone || Some(*at) == first);
        let mut shown: Vec<Turn> = kept.map(|(_, turn)| turn.clone()).collect();
        if gone > 0 {
            let summary = format!("{gone} earlier turns are left out.");
            let reference = "runtime://runs".to_owned();
            shown.insert(
                usize::from(first.is_some_and(|at| at < gone)),
                Turn::Compacted { summary, reference },
            );
        }
        let text = Transcript::of(shown, Replay::Compressed).request(frontier);
        // The newest turn is shown whatever it takes: without it the model would not know what came last.
        if counter.fits(&text, most) || gone + 1 >= turns.len() {
            return text;
        }
        gone += (turns.len() - gone).div_ceil(8).max(1);
        gone = gone.min(turns.len() - 1);
    }
}

/// The instructions and the turns, in the order in which they came.
fn turns(state: &RunState, counter: &dyn TokenCounter) -> (Vec<String>, Vec<Turn>) {
    let mut instructions = Vec::new();
    let mut turns: Vec<(Seq, Turn)> = Vec::new();
    for line in state.shown().iter() {
        let message = &line.message;
        match message.role() {
            "system" => instructions.push(text_of(message)),
            _ => turns.extend(turn_of(message).map(|turn| (line.seq, turn))),
        }
    }
    for (number, declared) in &state.declared {
        let turn = declaration(state, *number, declared, counter);
        turns.extend(turn.map(|turn| (declared.seq, turn)));
    }
    turns.sort_by_key(|(seq, _)| *seq);
    (instructions, turns.into_iter().map(|(_, turn)| turn).collect())
}

fn text_of(message: &Message) -> String {
    message.content.as_text().unwrap_or_default().to_owned()
}

/// A line of the transcript as a turn; results are shown with their declarations.
fn turn_of(message: &Message) -> Option<Turn> {
    let (kind, text) = (json::text(&message.metadata, "type"), text_of(message));
    if text.is_empty() || matches!(message.kind, MessageType::ToolCall | MessageType::ToolResult) {
        return None;
    }
    match (message.role(), kind) {
        (_, Some(REFUSED_DECLARATION)) => Some(Turn::Refused { reasons: text }),
        (_, Some(BESIDE_DECLARATION)) => None,
        ("assistant", _) => Some(Turn::Answer { text }),
        _ => Some(Turn::User { text }),
    }
}

fn declaration(
    state: &RunState,
    number: u32,
    declared: &Declared,
    counter: &dyn TokenCounter,
) -> Option<Turn> {
    let own = state.actions.values().map(|action| &**action);
    let own: Vec<&Action> =
        own.filter(|action| action.spec.id.declaration == number && action.spec.under.is_none()).collect();
    if own.is_empty() {
        return (declared.intent == "plan").then(|| Turn::Note { text: planned(declared) });
    }
    let any = |status| own.iter().any(|action| action.status() == status);
    let status = match () {
        () if state.cancel.is_some() => Status::Canceled,
        () if any(ActionStatus::Failed) => Status::Failed,
        () if any(ActionStatus::Blocked) || any(ActionStatus::Waiting) => Status::Blocked,
        () => Status::Completed,
    };
    let run = &state.spec.run;
    Some(Turn::Run(Run {
        id: run.to_string(),
        purpose: declared.purpose.clone(),
        status,
        calls: own.iter().map(|action| call(state, action, counter)).collect(),
        declared: Shortened {
            summary: None,
            reference: Some(format!("runtime://runs/{run}/declarations/{number}")),
            compressed: false,
        },
    }))
}

fn planned(declared: &Declared) -> String {
    let calls = declared.price.get("calls");
    format!(
        "The plan was checked: at most {calls} calls. Nothing of it runs; declare it with intent execute to run it."
    )
}

fn call(state: &RunState, action: &Action, counter: &dyn TokenCounter) -> Call {
    let spec = &action.spec;
    let labels = spec.depends_on.iter().filter_map(|id| state.action(*id)).map(label);
    let operation = Some(spec.operation.clone()).filter(|operation| *operation != spec.executor.target);
    Call {
        id: label(action),
        executor: ExecutorRef {
            kind: class(action.executor()),
            target: Target::from_name(&spec.executor.target),
            capabilities: Vec::new(),
        },
        operation,
        depends: labels.collect::<Vec<action::ActionId>>(),
        description: spec
            .description
            .clone()
            .or_else(|| Some(spec.title.clone()).filter(|title| !title.is_empty())),
        args: (!spec.args.redacted.is_empty()).then(|| spec.args.redacted.clone()),
        prompt: spec.prompt.clone(),
        result: observation(state, action, counter).unwrap_or_else(|| Observation::new(action.status())),
    }
}

fn class(kind: ExecutorKind) -> Option<ExecutorType> {
    Some(match kind {
        ExecutorKind::Tool | ExecutorKind::Program | ExecutorKind::Client => ExecutorType::Tool,
        ExecutorKind::Service => ExecutorType::Service,
        ExecutorKind::Runtime | ExecutorKind::Timer | ExecutorKind::Signal => ExecutorType::Runtime,
        ExecutorKind::Pipeline => ExecutorType::Pipeline,
        ExecutorKind::Agent => ExecutorType::Agent,
        ExecutorKind::Human => ExecutorType::Human,
    })
}

/// Where the work stands, derived from the actions: what is open, and after a summary also what is done.
fn frontier(state: &RunState, after_summary: bool) -> Frontier {
    let mut frontier = Frontier::default();
    for action in state.actions.values().filter(|action| action.spec.under.is_none()) {
        let doubt = action.end.as_ref().is_some_and(|end| end.reason == "in_doubt");
        match action.status() {
            ActionStatus::Completed if after_summary => frontier.done.push(label(action)),
            ActionStatus::Pending | ActionStatus::Running | ActionStatus::Waiting => {
                frontier.next.push(label(action));
            }
            _ if doubt => frontier.in_doubt.push(label(action)),
            _ => {}
        }
    }
    frontier
}
