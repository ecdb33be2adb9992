//! Waits: opened once, settled once.

use super::super::{Action, Answered, Bound, Holder, OpenWait, RunState, Stage};
use super::{Problem, need};
use crate::defect::{self, Defect};
use crate::event::{Answer, Decision, Lasts, Phase, Settlement, WaitKind, WaitOpened, WaitSettled};
use crate::{ActionId, Digest, Time};

pub(super) fn opened(state: &mut RunState, opened: &WaitOpened) -> Problem {
    let number = state.waits_opened + 1;
    need(opened.wait == state.wait_id(number), "waits are counted one by one")?;
    for id in &opened.actions {
        let action = state.action(*id).ok_or_else(|| format!("there is no action {id}"))?;
        need(action.wait.is_none(), format!("action {id} waits already"))?;
        need(may_open(&opened.kind, action.stage), format!("action {id} is {:?}", action.stage))?;
    }
    for id in &opened.actions {
        if let Some(action) = state.actions.get_mut(id) {
            action.wait = Some(number);
            action.by_client |= opened.kind == WaitKind::Client;
        }
    }
    state.waits_opened = number;
    if !opened.reserved.is_empty() {
        state.ledger.reserve(Holder::Wait(number), opened.reserved.clone());
    }
    state.waits.insert(
        number,
        OpenWait {
            kind: opened.kind.clone(),
            actions: opened.actions.clone(),
            due: opened.due,
            binding: opened.binding,
            supersedable: opened.supersedable,
            expect: opened.expect.clone(),
            cancel_sent: false,
        },
    );
    Ok(())
}

fn may_open(kind: &WaitKind, stage: Stage) -> bool {
    match kind {
        WaitKind::Approval { change_set: None } => stage == Stage::Pending,
        WaitKind::Approval { change_set: Some(_) } => stage == Stage::Proposed,
        WaitKind::InDoubt { .. } => stage == Stage::InDoubt,
        WaitKind::Input => stage == Stage::Suspended,
        WaitKind::Client
        | WaitKind::Question
        | WaitKind::Child { .. }
        | WaitKind::Timer
        | WaitKind::Signal { .. } => stage == Stage::Running,
    }
}

pub(super) fn settled(state: &mut RunState, settled: &WaitSettled) -> Problem {
    let number = settled.wait.number;
    need(settled.wait == state.wait_id(number), "the wait belongs to another run")?;
    let wait = state.waits.remove(&number).ok_or_else(|| format!("wait {} is not open", settled.wait))?;
    state.ledger.settle(Holder::Wait(number), &settled.usage);
    let policy = state.policy;
    for id in &wait.actions {
        if let Some(action) = state.actions.get_mut(id) {
            action.wait = None;
            settle_action(action, *id, (&wait, number), settled, policy);
        }
    }
    if let (WaitKind::Signal { name }, Settlement::Answered) = (&wait.kind, settled.how) {
        let empty = state.external.get_mut(name).is_some_and(|queue| {
            queue.pop_front();
            queue.is_empty()
        });
        if empty {
            state.external.remove(name);
        }
    }
    remember(state, &wait, settled);
    Ok(())
}

fn settle_action(
    action: &mut Action,
    id: ActionId,
    (wait, number): (&OpenWait, u32),
    settled: &WaitSettled,
    policy: Digest,
) {
    if settled.how == Settlement::Superseded && !wait.kind.is_work() {
        action.answered = Some(Answered::Superseded);
        return;
    }
    match &wait.kind {
        WaitKind::Approval { change_set } => {
            approval_settled(action, id, (*change_set, &wait.expect, number), settled, policy);
        }
        WaitKind::InDoubt { .. } => doubt_settled(action, number, settled, policy),
        WaitKind::Input => input_settled(action, settled),
        WaitKind::Client
        | WaitKind::Question
        | WaitKind::Child { .. }
        | WaitKind::Timer
        | WaitKind::Signal { .. } => work_settled(action, settled),
    }
}

fn approval_settled(
    action: &mut Action,
    id: ActionId,
    (change_set, expect, number): (Option<Digest>, &[Digest], u32),
    settled: &WaitSettled,
    policy: Digest,
) {
    let refused = |code: &'static str, reason: &str| {
        Some(Answered::Refused { code, by: settled.by.clone(), reason: reason.to_owned() })
    };
    match (settled.how, &settled.answer) {
        (Settlement::Answered, Some(Answer::Verdicts { verdicts, reason, .. })) => match verdicts.get(&id) {
            // A program has run with its arguments: its changes cannot be approved with other ones.
            Some(Decision::Approve { edit: Some(_) }) if change_set.is_some() => {
                action.answered = refused("rejected", "A change set has no arguments to edit.");
            }
            Some(Decision::Approve { edit }) => {
                if let Some(args) = edit {
                    action.args = args.clone();
                    action.edited_by = Some(settled.by.clone());
                }
                match change_set {
                    Some(about) => {
                        action.change_set_gate = Some(Bound { about, policy, value: number });
                    }
                    None => {
                        action.gate = Some(Bound { about: action.args.raw, policy, value: number });
                        action.expect = expect.to_vec();
                    }
                }
            }
            Some(Decision::Reject { reason: own }) if !own.is_empty() => {
                action.answered = refused("rejected", own);
            }
            Some(Decision::Reject { .. }) | None => action.answered = refused("rejected", reason),
        },
        (Settlement::Answered, _) => action.answered = refused("rejected", ""),
        (Settlement::Expired, _) => action.answered = refused("expired", ""),
        (Settlement::Superseded | Settlement::Withdrawn, _) => {}
    }
}

fn doubt_settled(action: &mut Action, number: u32, settled: &WaitSettled, policy: Digest) {
    let by = settled.by.clone();
    match (settled.how, &settled.answer) {
        (Settlement::Answered, Some(Answer::Again { .. })) => {
            action.stage = if action.phase == Phase::Apply { Stage::Proposed } else { Stage::Pending };
            action.counts.losses = 0;
            action.not_before = Time(0);
            action.gate = Some(Bound { about: action.args.raw, policy, value: number });
        }
        (Settlement::Answered, Some(Answer::Happened { payload, reason })) => {
            let (payload, reason) = (payload.clone(), reason.clone());
            action.answered = Some(Answered::Happened { by, payload, reason });
        }
        (Settlement::Answered, Some(Answer::Leave { reason })) => {
            action.answered = Some(Answered::Leave { by, reason: reason.clone() });
        }
        (Settlement::Answered | Settlement::Expired | Settlement::Superseded | Settlement::Withdrawn, _) => {
            action.answered = Some(Answered::Leave { by, reason: String::new() });
        }
    }
}

fn input_settled(action: &mut Action, settled: &WaitSettled) {
    match (settled.how, &settled.answer) {
        (Settlement::Answered, Some(Answer::Result { payload, .. })) => {
            action.input = Some(payload.clone());
            action.stage = Stage::Pending;
        }
        (Settlement::Expired | Settlement::Answered, _) => {
            let code = if settled.how == Settlement::Expired { "expired" } else { "rejected" };
            let (by, reason) = (settled.by.clone(), String::new());
            action.answered = Some(Answered::Refused { code, by, reason });
        }
        (Settlement::Superseded | Settlement::Withdrawn, _) => {}
    }
}

fn work_settled(action: &mut Action, settled: &WaitSettled) {
    if let Some(Answer::Result { effect, .. }) = &settled.answer
        && action.executor() == crate::event::ExecutorKind::Agent
        && !defect::is(Defect::ChildEffectDropped)
    {
        action.effect = action.effect.max(*effect);
    }
    let (answer, by) = (settled.answer.clone(), settled.by.clone());
    action.answered = Some(Answered::Work { how: settled.how, answer, by });
}

/// What is remembered of an approval holds at once in this run. An approval of changes is about these
/// changes alone.
fn remember(state: &mut RunState, wait: &OpenWait, settled: &WaitSettled) {
    let Some(Answer::Verdicts { verdicts, remember: Some(remember), reason, .. }) = &settled.answer else {
        return;
    };
    if wait.kind != (WaitKind::Approval { change_set: None }) {
        return;
    }
    let approved: Vec<ActionId> = wait
        .actions
        .iter()
        .filter(|id| matches!(verdicts.get(id), Some(Decision::Approve { .. })))
        .copied()
        .collect();
    for id in approved {
        let Some(action) = state.action(id) else { continue };
        let approval = state.granted(action, remember, (&settled.by, Time(0), reason));
        let outlives = remember.lasts != Lasts::Run && state.has_owner();
        let held = if outlives { &mut state.standing } else { &mut state.remembered };
        held.insert(approval.scope.clone(), approval);
    }
}
