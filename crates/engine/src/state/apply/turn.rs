//! Turns: the model is asked, answers or fails, and its response is read.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;

use super::super::REFUSED_DECLARATION;
use super::super::{Holder, Line, OpenRequest, OpenTurn, Response, RunState, Transcript};
use super::run::{Decider, mark_cancelled, reopen};
use super::{Problem, need};
use crate::event::{
    Choice, DeclarationAccepted, Event, HistoryCompacted, Hook, HookAnswer, HookAnswered, ModelFailed,
    ModelRequested, ModelResponded, Origin, Purpose, ResponseRefused, Subject,
};
use crate::state::{Action, Bound, Declared, Resolution, Stage};
use crate::{ActionId, Seq};

pub(super) fn requested(state: &mut RunState, requested: &ModelRequested) -> Problem {
    need(state.model.open.is_none(), "another model call is open")?;
    need(state.model.response.is_none(), "the last response was not read")?;
    need(state.stops.is_empty(), "the run is stopping")?;
    need(requested.request == state.model.requests + 1, "requests are counted one by one")?;
    let plain_open = !state.is_protocol() && !state.open.is_empty();
    let allowed = crate::defect::is(crate::defect::Defect::TurnWithOpenCalls);
    need(!plain_open || allowed, "a call of the turn has no result")?;
    state.model.requests = requested.request;
    state.model.retry = None;
    state.model.open = Some(OpenRequest {
        request: requested.request,
        purpose: requested.purpose,
        turn: requested.turn,
        attempt: requested.attempt,
        model: requested.model,
        epoch: state.epoch,
    });
    state.ledger.reserve(Holder::Request(requested.request), requested.reserved.clone());
    if requested.purpose == Purpose::Compaction {
        state.enter_lines();
    }
    if requested.purpose == Purpose::Turn {
        if requested.attempt == 1 {
            state.ledger.count_turn();
        }
        (state.unseen, state.owed, state.steer) = (0, false, false);
        state.show();
        let asked = |(hook, _): &(Hook, Subject)| {
            !matches!(hook, Hook::BeforeModel | Hook::Interrupt | Hook::Continue | Hook::OnStop)
        };
        state.hooks.retain(|key, _| asked(key));
    }
    Ok(())
}

pub(super) fn responded(state: &mut RunState, seq: Seq, responded: &ModelResponded) -> Problem {
    let open = open_request(state, responded.request)?;
    state.ledger.settle(Holder::Request(open.request), &responded.usage);
    state.model.open = None;
    state.model.failures = 0;
    state.model.response =
        Some(Response { purpose: open.purpose, turn: open.turn, responded: Arc::new(responded.clone()) });
    if open.purpose == Purpose::Turn {
        if responded.host.as_ref().is_some_and(|host| host.replaces) {
            state.transcript = Transcript::default();
        }
        for message in &responded.messages {
            state.transcript.push(seq, message.clone());
        }
        if let Some(output) = &responded.output {
            state.output = Some(output.clone());
        }
    }
    Ok(())
}

fn open_request(state: &RunState, request: u32) -> Result<OpenRequest, String> {
    let open = state.model.open.filter(|open| open.request == request);
    open.ok_or_else(|| format!("model call {request} is not open"))
}

pub(super) fn failed(state: &mut RunState, failed: &ModelFailed) -> Problem {
    let open = open_request(state, failed.request)?;
    state.ledger.settle(Holder::Request(open.request), &failed.usage);
    state.model.open = None;
    state.model.failures += 1;
    match open.purpose {
        Purpose::Turn => {
            state.model.retry = failed.next;
            state.unseen += 1;
            state.owed = failed.next.is_some();
        }
        Purpose::Compaction => wait_to_compact(state),
        Purpose::Summary { .. } => {}
    }
    Ok(())
}

pub(super) fn declared(state: &mut RunState, event: &Event, accepted: &DeclarationAccepted) -> Problem {
    need(accepted.declaration == state.declarations + 1, "declarations are counted one by one")?;
    check_actions(state, accepted)?;
    if accepted.origin.is_response() {
        let response = state.model.response.take().ok_or("there is no response to read")?;
        state.model.refusals = 0;
        state.hooks.retain(|(hook, _), _| *hook != Hook::AfterModel);
        open_turn(state, event.seq, accepted, &response);
    }
    state.declarations = accepted.declaration;
    if matches!(accepted.origin, Origin::Declaration | Origin::Submitted) {
        let head = Declared {
            seq: event.seq,
            intent: accepted.intent.clone(),
            purpose: accepted.title.clone().or_else(|| accepted.note.clone()),
            price: accepted.price.clone(),
        };
        state.declared.insert(accepted.declaration, head);
    }
    for spec in &accepted.add {
        let bridged = matches!(accepted.origin, Origin::Bridge { .. }) && !spec.only_reads();
        if let Some(parent) = spec.under.filter(|_| bridged).and_then(|id| state.actions.get_mut(&id)) {
            parent.bridged = true;
        }
        state.resources.enter(spec.under, spec.id, &spec.resources);
        state.open.insert(spec.id);
        if spec.resolves || spec.each.is_some() {
            state.unresolved.insert(spec.id);
        }
        let mut action = Action::new(spec.clone());
        action.erased = event.erased;
        promote(state, &spec.operation);
        state.actions.insert(spec.id, Box::new(action));
    }
    accepted.cancel.iter().for_each(|id| mark_cancelled(state, *id));
    accepted.replace.iter().for_each(|(old, _)| mark_cancelled(state, *old));
    // A revision takes the place of everything that it cancels.
    let revised = accepted.cancel.iter().filter(|_| accepted.intent == "revise");
    for old in accepted.replace.iter().map(|(old, _)| old).chain(revised) {
        if let Some(action) = state.actions.get_mut(old) {
            action.replaced = true;
        }
    }
    state.try_decisions(&accepted.decide)?;
    if accepted.origin.is_response() {
        let seen: Vec<ActionId> = state
            .actions
            .iter()
            .filter(|(_, action)| action.seen && state.is_undecided(action))
            .map(|(id, _)| *id)
            .collect();
        for id in seen {
            if let Some(action) = state.actions.get_mut(&id) {
                action.decided = true;
            }
        }
    }
    // What adds no work and answers nothing leaves the model with the next word. Its intent says so: an answer is a
    // word, which may be erased.
    let adds_nothing = accepted.origin == Origin::Declaration && accepted.add.is_empty();
    if adds_nothing && !matches!(accepted.intent.as_str(), "answer" | "done") {
        state.unseen += 1;
    }
    observe_signature(state, accepted);
    Ok(())
}

/// A tool that the model called is shown in full from the next turn on.
pub(super) fn promote(state: &mut RunState, called: &str) {
    let Some(name) = state.agent.second_tier(called).map(str::to_owned) else { return };
    if !state.promoted.contains(&name) {
        Arc::make_mut(&mut state.promoted).push(name);
    }
}

fn check_actions(state: &RunState, accepted: &DeclarationAccepted) -> Problem {
    for (index, spec) in accepted.add.iter().enumerate() {
        let expected = ActionId { declaration: accepted.declaration, index: index as u32 };
        need(spec.id == expected, format!("action {} must be {expected}", spec.id))?;
    }
    for (old, _) in &accepted.replace {
        let replaceable =
            state.action(*old).is_some_and(|action| action.stage == Stage::Pending && !action.holds);
        need(replaceable, format!("action {old} has begun"))?;
    }
    if accepted.decide.is_empty() {
        return Ok(());
    }
    // One decision can reopen what another is about: they are tried before anything changes.
    state.clone().try_decisions(&accepted.decide)
}

impl RunState {
    /// Takes in decisions of the model. The state is not to be used any more if one of them is refused.
    pub(crate) fn try_decisions(&mut self, decide: &[(ActionId, Choice)]) -> Result<(), String> {
        decide.iter().try_for_each(|(id, choice)| reopen(self, *id, *choice, Decider::Model))
    }
}

/// The calls of a plain turn are carried out before the model is asked again.
fn open_turn(state: &mut RunState, seq: Seq, accepted: &DeclarationAccepted, response: &Response) {
    let host = response.responded.host.as_deref();
    let continuation = host.map(|host| host.continuation.as_slice()).unwrap_or_default();
    let managed = host.is_some_and(|host| host.managed);
    state.turn = Some(OpenTurn {
        turn: response.turn,
        declaration: accepted.declaration,
        asked_for: accepted.add.len() as u32 + response.responded.malformed,
        managed,
        continuation: continuation.len(),
        continued: !continuation.is_empty(),
        blocked: false,
        spoken: false,
        completes: host.is_some_and(|host| host.completes),
    });
    state.after_turn.extend(continuation.iter().map(|message| (seq, message.clone())));
    state.unseen += u32::from(!continuation.is_empty());
    if managed || (accepted.add.is_empty() && response.responded.malformed > 0) {
        state.unseen += 1;
    }
}

/// Equal declarations in a row are a stall, as equal calls are.
fn observe_signature(state: &mut RunState, accepted: &DeclarationAccepted) {
    let Some(signature) = accepted.signature.filter(|_| accepted.origin == Origin::Declaration) else {
        return;
    };
    let Some(detector) = &mut state.repetition.detector else { return };
    let spin = detector
        .observe("declaration", &Object::from_iter([("signature".to_owned(), signature.to_string().into())]));
    if spin.stalled && state.repetition.found.is_none() {
        let count = u32::try_from(spin.repeat_count).unwrap_or(u32::MAX);
        state.repetition.found = Some((signature.to_string().into(), count));
    }
}

pub(super) fn refused(state: &mut RunState, seq: Seq, refused: &ResponseRefused) -> Problem {
    need(state.model.response.is_some() || refused.code == "completion_blocked", "there is no response")?;
    state.model.response = None;
    state.hooks.retain(|(hook, _), _| *hook != Hook::AfterModel);
    if refused.code != "completion_blocked" {
        state.model.refusals += 1;
    }
    let record = refused.violations.first();
    for reason in &refused.reasons {
        let mut message = Message::text("user", reason);
        if refused.code == "completion_blocked" {
            message.metadata.insert("type".into(), "tool_call_gate_completion_blocked".into());
            message.metadata.insert("tool_call_gate".into(), record.cloned().unwrap_or_default());
        } else {
            let kind = if state.is_protocol() { REFUSED_DECLARATION } else { refused.code.as_str() };
            message.metadata.insert("type".into(), kind.into());
        }
        state.after_turn.push((seq, Arc::new(message)));
    }
    if refused.retry {
        state.unseen += 1;
        state.owed = true;
        if let Some(turn) = &mut state.turn {
            turn.blocked = true;
        }
    }
    Ok(())
}

pub(super) fn compacted(state: &mut RunState, seq: Seq, compacted: &HistoryCompacted) -> Problem {
    // Erased words leave fewer lines than there were; what is left of the oldest gives way all the same.
    let upto = usize::try_from(compacted.upto).unwrap_or(usize::MAX).min(state.shown().len());
    if state.model.response.as_ref().is_some_and(|response| response.purpose == Purpose::Compaction) {
        state.model.response = None;
    }
    state.enter_lines();
    if upto > 0 {
        let kept = state.transcript.iter().nth(upto).map(|line| line.seq);
        state.declared.retain(|_, declared| kept.is_some_and(|kept| declared.seq >= kept));
        let lines = compacted.replacement.iter().map(|message| Line { seq, message: message.clone() });
        let lines: Vec<Line> = lines.collect();
        state.transcript.replace_oldest(upto, lines);
        // Once before a turn: what is still too long waits until there is more of it.
        state.compact_at = state.transcript.len() + 1;
    } else {
        wait_to_compact(state);
    }
    Ok(())
}

/// A summary that failed, or did not shorten anything, would do so again at once.
fn wait_to_compact(state: &mut RunState) {
    let room = state.agent.compaction.as_ref().map_or(1, |policy| (policy.max_messages() / 2).max(1));
    state.compact_at = state.transcript.len() + room;
}

pub(super) fn hook_answered(state: &mut RunState, event: &Event, answered: &HookAnswered) -> Problem {
    let seq = event.seq;
    if let Subject::Action { action } = answered.subject {
        return match answered.hook {
            Hook::Resolve => resolved(state, event, action, &answered.answer),
            _ => about_action(state, action, answered),
        };
    }
    if let HookAnswer::Message { messages, .. } = &answered.answer {
        // Counted by the fact that there are some: their words may be erased.
        state.unseen += 1;
        state.after_turn.extend(messages.iter().map(|message| (seq, message.clone())));
        if let Some(turn) = state.turn.as_mut().filter(|_| answered.hook != Hook::Interrupt) {
            turn.spoken = true;
        }
    }
    if let HookAnswer::Complete { record, .. } = &answered.answer
        && let Some(message) = record.get("message").and_then(|message| Message::parse(message).ok())
    {
        state.after_turn.push((seq, Arc::new(message)));
    }
    state.hooks.insert((answered.hook, answered.subject), answered.answer.clone());
    Ok(())
}

/// The references of an action have values, or one has none.
fn resolved(state: &mut RunState, event: &Event, id: ActionId, answer: &HookAnswer) -> Problem {
    need(state.unresolved.remove(&id), format!("the arguments of action {id} are known"))?;
    let action = state.actions.get_mut(&id).ok_or_else(|| format!("there is no action {id}"))?;
    match answer {
        HookAnswer::Resolved { args, items } => {
            action.resolution = Resolution::Known;
            action.args = args.clone();
            action.items.clone_from(items);
            action.erased |= event.erased;
        }
        HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault } => {
            action.resolution = Resolution::Failed(fault.clone());
        }
        _ => return Err("this is no answer to what the references stand for".into()),
    }
    Ok(())
}

fn about_action(state: &mut RunState, id: ActionId, answered: &HookAnswered) -> Problem {
    let policy = state.policy;
    let action = state.actions.get_mut(&id).ok_or_else(|| format!("there is no action {id}"))?;
    let bound = Bound { about: action.args.raw, policy, value: answered.answer.clone() };
    match answered.hook {
        Hook::Policy => action.ruled = Some(bound),
        Hook::Mediate => action.mediated = Some(bound),
        Hook::AfterTool => {
            if let HookAnswer::Note { value } = &answered.answer {
                action.notes = value.as_object().cloned().unwrap_or_default();
            }
            state.hooks.insert((answered.hook, answered.subject), HookAnswer::NoOpinion);
        }
        Hook::Completion => {
            if let (HookAnswer::Message { messages, .. }, Some(end)) = (&answered.answer, &mut action.end) {
                end.remarks.extend(messages.iter().cloned());
            }
            state.hooks.insert((answered.hook, answered.subject), answered.answer.clone());
        }
        Hook::BeforeModel
        | Hook::AfterModel
        | Hook::Resolve
        | Hook::Continue
        | Hook::Interrupt
        | Hook::OnStop => {
            return Err("this hook is not asked about an action".into());
        }
    }
    judge_ended(state, id);
    Ok(())
}

/// An ended action needs nothing more once every hook that looks at results has spoken.
pub(super) fn judge_ended(state: &mut RunState, id: ActionId) {
    let subject = Subject::Action { action: id };
    let completes = state.action(id).is_some_and(Action::completes);
    let judged = state.spec.hooks.completion && state.stops.is_empty() && !completes;
    let asked = [(state.spec.hooks.after_tool, Hook::AfterTool), (judged, Hook::Completion)];
    let open = asked.iter().any(|(wanted, hook)| *wanted && !state.hooks.contains_key(&(*hook, subject)));
    let ended = state.action(id).is_some_and(Action::is_ended);
    if ended && open {
        state.unjudged.insert(id);
    } else {
        state.unjudged.remove(&id);
    }
}
