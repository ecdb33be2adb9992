//! Rulings that are given at once. Asking for one needs nothing durable, so that the calls of a response, what the
//! policy of this process says of them and the starts that it allows are one commit.

use provost_engine::event::{Event, Hook};
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
            if let Effect::Hook { hook: Hook::Policy, subject } = effect
                && !self.tasks.has(id)
                && let Some(call) = self.hook(Hook::Policy, subject)
            {
                given.extend(self.tasks.start_now(id, call).map(|input| (id, input)));
            }
        }
        given
    }
}
