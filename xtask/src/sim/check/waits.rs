//! Waits: opened once, settled once.

use provost_engine::event::{Answer, Decision, Lasts, Phase, Settlement, WaitKind, WaitOpened, WaitSettled};
use provost_engine::{ActionId, Time};

use super::Seen;
use super::standing::Held;

impl Seen {
    pub(super) fn wait_opened(&mut self, opened: &WaitOpened, at: Time) -> Result<(), String> {
        if self.waits.contains_key(&opened.wait) || self.settled.contains(&opened.wait) {
            return Err("a wait is opened twice".into());
        }
        for id in &opened.actions {
            let action = self.actions.get_mut(id).ok_or("a wait of no action")?;
            if action.end.is_some() || action.wait.is_some() {
                return Err(format!("{id} has ended or waits already"));
            }
            if opened.kind.is_work() != action.open.is_some() {
                return Err(format!("{id} has the wrong stage for this wait"));
            }
            let about_changes = matches!(opened.kind, WaitKind::Approval { change_set: Some(_) });
            if about_changes && action.last.is_some_and(|(phase, _)| phase == Phase::Apply) {
                return Err("a begun apply is judged again".into());
            }
            // A hook asks by a rule of its own.
            let asks = opened.kind == (WaitKind::Approval { change_set: None }) && !self.spec.hooks.policy;
            let tool = &action.spec.operation;
            let spared = self.own_standing.values().any(|held| held.covers(tool, action.args, at));
            if asks && action.attempts == 0 && tool.ends_with("-ask") && spared {
                return Err("a person is asked again about what was approved for the whole run".into());
            }
            action.wait = Some(opened.wait.clone());
        }
        if let WaitKind::Child { run } = &opened.kind {
            let depth = self.spec.parent.as_ref().map_or(0, |parent| parent.depth);
            let open = self.waits.values().filter(|wait| matches!(wait.kind, WaitKind::Child { .. })).count();
            if depth + 1 > self.spec.limits.depth || open >= self.spec.limits.children as usize {
                return Err("a child too deep, or one too many".into());
            }
            if !self.children.insert(run.clone()) {
                return Err("the same child twice".into());
            }
            self.reserved.insert(opened.wait.to_string(), opened.reserved.clone());
            self.within_budget()?;
        }
        self.waits.insert(opened.wait.clone(), opened.clone());
        Ok(())
    }

    pub(super) fn wait_settled(&mut self, settled: &WaitSettled) -> Result<(), String> {
        if let Some(signal) = settled.signal {
            self.named(signal)?;
        }
        let Some(opened) = self.waits.remove(&settled.wait) else {
            return Err("a wait is settled twice, or was never opened".into());
        };
        self.settled.insert(settled.wait.clone());
        self.reserved.remove(&settled.wait.to_string());
        self.spent.add(&settled.usage);
        let policy = self.policy;
        for id in &opened.actions {
            let Some(action) = self.actions.get_mut(id) else { continue };
            action.wait = None;
            match (&opened.kind, &settled.answer) {
                (WaitKind::Approval { change_set }, Some(Answer::Verdicts { verdicts, .. })) => {
                    let Some(Decision::Approve { edit }) = verdicts.get(id) else { continue };
                    if let Some(edit) = edit {
                        action.args = edit.raw;
                    }
                    match change_set {
                        Some(digest) => action.set_gate = Some((*digest, policy)),
                        None => (action.gate, action.again) = (Some((action.args, policy)), true),
                    }
                }
                (WaitKind::InDoubt { .. }, Some(Answer::Again { .. })) => {
                    (action.gate, action.again) = (Some((action.args, policy)), true);
                }
                (WaitKind::Child { .. }, Some(Answer::Result { effect, .. })) => {
                    action.effect = action.effect.max(*effect);
                }
                _ => {}
            }
        }
        let about_action = opened.kind == (WaitKind::Approval { change_set: None });
        if settled.how == Settlement::Answered && about_action {
            self.remember(&opened.actions, settled);
        }
        Ok(())
    }

    /// An approval that is remembered holds for the calls that it covers from now on.
    fn remember(&mut self, actions: &[ActionId], settled: &WaitSettled) {
        let Some(Answer::Verdicts { verdicts, remember: Some(remember), .. }) = &settled.answer else {
            return;
        };
        for id in actions {
            let approved = matches!(verdicts.get(id), Some(Decision::Approve { .. }));
            let Some(action) = self.actions.get(id).filter(|_| approved) else { continue };
            let held = Held::new(&action.spec.operation, action.args, remember);
            let standing = match remember.lasts {
                Lasts::Run => &mut self.own_standing,
                Lasts::Always | Lasts::Until(_) => &mut self.standing,
            };
            standing.insert(format!("{held:?}"), held);
        }
    }
}
