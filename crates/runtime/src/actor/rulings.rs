//! Answers that are given at once. Asking for a ruling, or for what a reference stands for, needs nothing durable, so
//! that the calls of a response, what is known of them, what the policy of this process says and the starts that it
//! allows are one commit.

use provost_engine::event::{Event, Hook, Subject};
use provost_engine::{Effect, EffectId, Input, Now, due, react};

use super::run::{ActorError, RunActor};

impl RunActor {
    /// Decides about the rulings that are given at once, and returns which they are.
    pub(super) fn decide_rulings(
        &mut self,
        now: &Now,
        events: &mut Vec<Event>,
    ) -> Result<Vec<EffectId>, ActorError> {
        let mut ruled = Vec::new();
        loop {
            let (ids, inputs): (Vec<EffectId>, Vec<Input>) = self.rulings(now).into_iter().unzip();
            if ids.is_empty() {
                return Ok(ruled);
            }
            ruled.extend(ids);
            let more = react(&mut self.loaded.state, now, inputs)?;
            self.arguments.declared(&more);
            events.extend(more);
        }
    }

    /// Asks for the rulings that are due, and returns the ones that are given at once.
    fn rulings(&mut self, now: &Now) -> Vec<(EffectId, Input)> {
        let mut given = Vec::new();
        if now.draining {
            return given;
        }
        for effect in due(self.state(), now) {
            let id = effect.id();
            if self.tasks.has(id) {
                continue;
            }
            let finished = match effect {
                Effect::Hook { hook: Hook::Policy, subject } => {
                    self.hook(Hook::Policy, subject).and_then(|call| self.tasks.start_now(id, call))
                }
                Effect::Hook { hook: Hook::Resolve, subject: Subject::Action { action } } => {
                    let finished = self.resolving(action).and_then(|call| self.tasks.start_now(id, call));
                    finished.inspect(|finished| {
                        finished.raw.iter().for_each(|raw| self.arguments.resolved(action, raw.clone()));
                    })
                }
                _ => None,
            };
            given.extend(finished.map(|finished| (id, finished.input)));
        }
        given
    }
}
