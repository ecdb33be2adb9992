//! Outcomes that are not a plain success: failed, timed out, lost, stopped, stale, or a begun apply.

use provost_contract::action::OnFailure;
use provost_contract::action::policies::CancellationPolicy;
use provost_contract::tool::OnTimeout;

use super::end::{Closing, EffectRule, Ending};
use super::{Done, Reaction, words};
use crate::defect::{self, Defect};
use crate::event::{EndedBy, Next, Note, Outcome, Phase, Probe, WaitsOn};
use crate::state::Action;
use crate::value::value_of;
use crate::{Payload, Time, WorldEffect};

/// How often in a row a worker may be lost, an approval be out of date, or input be asked for.
const IN_A_ROW_MAX: u32 = 3;
/// The first pause before a retry; it doubles with every failure.
const BACKOFF_MS: u64 = 1_000;

impl Reaction<'_> {
    /// A client or a person answers in place of the executor: the attempt stays open.
    pub(super) fn waits(&mut self, closing: Closing, on: WaitsOn, ask: Payload) -> Done {
        if closing.stopping {
            let ending = cancelled(&closing, "cancelled", false).effect(EffectRule::BeforeAttempt);
            return self.close_with(closing, ending);
        }
        self.open_for_attempt(closing.id, on, ask)
    }

    /// A begun apply completes, is a conflict, or is in doubt; it is never given up. Returns what means the
    /// same for an apply as for a run.
    pub(super) fn apply_ended(
        &mut self,
        closing: Closing,
        outcome: Outcome,
    ) -> Result<Option<(Closing, Outcome)>, crate::state::Illegal> {
        if closing.action.phase == Phase::Run {
            return Ok(Some((closing, outcome)));
        }
        match &outcome {
            Outcome::Stale { .. } => {
                let sentence = "Not applied: the workspace has changed since the program ran.";
                let result = words::failure(&closing.action, "conflict", sentence, serde_json::json!({}));
                let ending = Ending::failed("conflict", closing.by).result(result);
                self.close_with(closing, ending.effect(EffectRule::BeforeAttempt))?;
            }
            Outcome::Stopped
            | Outcome::Proposed { .. }
            | Outcome::Waits { .. }
            | Outcome::InputRequired { .. } => {
                self.go_on(closing, outcome, Next::Doubt)?;
            }
            Outcome::NotStarted { .. } if closing.action.effect_before != WorldEffect::None => {
                self.go_on(closing, outcome, Next::Doubt)?;
            }
            Outcome::Completed { .. }
            | Outcome::Failed { .. }
            | Outcome::TimedOut { .. }
            | Outcome::Lost { .. }
            | Outcome::NotStarted { .. } => return Ok(Some((closing, outcome))),
        }
        Ok(None)
    }

    pub(super) fn proposed(&mut self, closing: Closing, outcome: Outcome) -> Done {
        if closing.cancelled {
            let ending = cancelled(&closing, "cancelled", false);
            return self.close_with(closing, ending);
        }
        self.go_on(closing, outcome, Next::Judge)
    }

    pub(super) fn input_required(&mut self, closing: Closing, outcome: Outcome) -> Done {
        if closing.stopping {
            let ending = closing.ended_early(true);
            return self.close_with(closing, ending);
        }
        if closing.action.counts.inputs < IN_A_ROW_MAX {
            return self.go_on(closing, outcome, Next::Input);
        }
        let sentence = "It asked for input too often.";
        let result = words::failure(&closing.action, "too_many_inputs", sentence, serde_json::json!({}));
        let ending = Ending::failed("too_many_inputs", EndedBy::Engine).result(result);
        self.close_with(closing, ending)
    }

    pub(super) fn not_started(&mut self, closing: Closing, code: &str) -> Done {
        let ending = if closing.cancelled {
            cancelled(&closing, "cancelled", false)
        } else {
            let result = words::not_started(&closing.action, code);
            Ending::failed(code.to_owned(), EndedBy::Engine).result(result)
        };
        self.close_with(closing, ending.effect(EffectRule::BeforeAttempt))
    }

    pub(super) fn stale(&mut self, closing: Closing, outcome: Outcome) -> Done {
        if closing.stopping {
            let ending = closing.ended_early(false);
            return self.close_with(closing, ending.effect(EffectRule::BeforeAttempt));
        }
        if closing.action.counts.stale < IN_A_ROW_MAX {
            return self.go_on(closing, outcome, Next::AskAgain);
        }
        let sentence = "Not run: what its approval was about changed each time.";
        let result = words::failure(&closing.action, "stale", sentence, serde_json::json!({}));
        let ending = Ending::failed("stale", EndedBy::Engine).result(result);
        self.close_with(closing, ending.effect(EffectRule::BeforeAttempt))
    }

    pub(super) fn stopped(&mut self, closing: Closing) -> Done {
        let marks = closing.action.policies.cancellation_policy == CancellationPolicy::StopAndMarkInDoubt;
        if marks && !closing.action.spec.only_reads() {
            let action = Action { doubt: Some("stopped".into()), ..closing.action.clone() };
            let result = words::in_doubt(&action, None);
            let ending = Ending::blocked("in_doubt", EndedBy::Cancel).result(result);
            return self.close_with(closing, ending);
        }
        let midway = !closing.action.is_repeatable();
        let reason = match () {
            () if closing.action.replaced => "revised",
            () if midway => "stopped_midway",
            () => "cancelled",
        };
        let ending = cancelled(&closing, reason, midway);
        self.close_with(closing, ending)
    }

    /// Its worker is gone. Reads and what is safe to repeat run again; anything else is in doubt.
    pub(super) fn lost(
        &mut self,
        closing: Closing,
        outcome: Outcome,
        (gone, probe): (bool, Probe),
        result: Option<Payload>,
    ) -> Done {
        let action = &closing.action;
        let once_more = action.counts.losses + 1 < IN_A_ROW_MAX;
        let retry = Next::Retry { not_before: self.now.wall };
        if defect::is(Defect::LostAttemptsRunAgain) && !closing.stopping {
            return self.go_on(closing, outcome, retry);
        }
        // What was done is a round of a loop, not all of it.
        if probe == Probe::Done && action.spec.repeat.is_some() {
            let result = result.unwrap_or_default();
            let until = action.spec.repeat.as_ref().and_then(|repeat| repeat.until.as_ref());
            let goal = until.is_none_or(|until| until.holds_for(&value_of(result.shown())));
            let outcome = Outcome::Completed { result: result.clone(), goal, satisfying: true };
            let closing = Closing { by: EndedBy::Probe, ..closing };
            return self.completed(closing, outcome, result, goal, true);
        }
        if probe == Probe::Done {
            let ending = Ending::completed(EndedBy::Probe).result(result.unwrap_or_default());
            return self.close_with(closing, Ending { reason: "probed".into(), ..ending });
        }
        if action.phase == Phase::Apply {
            let next = if once_more && gone { retry } else { Next::Doubt };
            return self.go_on(closing, outcome, next);
        }
        if probe == Probe::NotDone && gone {
            if closing.stopping {
                let ending = closing.ended_early(false).effect(EffectRule::BeforeAttempt);
                return self.close_with(closing, ending);
            }
            return self.run_again(closing, outcome, once_more);
        }
        let repeatable = action.is_repeatable();
        if closing.cancelled {
            let ending = match repeatable {
                true => cancelled(&closing, "cancelled", !action.spec.only_reads()),
                false => Ending::blocked("in_doubt", EndedBy::Cancel).result(words::in_doubt(action, None)),
            };
            return self.close_with(closing, ending);
        }
        if repeatable && (gone || action.spec.only_reads()) {
            if closing.stopping {
                let ending = closing.ended_early(!action.spec.only_reads());
                return self.close_with(closing, ending);
            }
            return self.run_again(closing, outcome, once_more);
        }
        self.go_on(closing, outcome, Next::Doubt)
    }

    fn run_again(&mut self, closing: Closing, outcome: Outcome, once_more: bool) -> Done {
        if once_more {
            let not_before = self.now.wall;
            return self.go_on(closing, outcome, Next::Retry { not_before });
        }
        let sentence = "The process died each time this ran.";
        let result = words::failure(&closing.action, "lost", sentence, serde_json::json!({}));
        let ending = Ending::failed("lost", EndedBy::Engine).result(result);
        self.close_with(closing, ending)
    }

    pub(super) fn failed(&mut self, closing: Closing, outcome: Outcome) -> Done {
        let action = &closing.action;
        let timed_out = matches!(outcome, Outcome::TimedOut { .. });
        if action.phase == Phase::Apply {
            if timed_out {
                return self.go_on(closing, outcome, Next::Doubt);
            }
            let ending = Ending::failed("conflict", closing.by).result(result_of(action, &outcome));
            return self.close_with(closing, ending.effect(EffectRule::BeforeAttempt));
        }
        if action.is_repeatable() {
            if self.retries(&closing) {
                let not_before = self.backoff(action);
                return self.go_on(closing, outcome, Next::Retry { not_before });
            }
            let by_its_limit = matches!(&outcome, Outcome::Failed { fault, .. } if fault.code == "timed_out");
            let reason = if timed_out || by_its_limit { "timed_out" } else { "failed" };
            let ending = Ending::failed(reason, closing.by).result(result_of(action, &outcome));
            return self.close_with(closing, ending);
        }
        // A program of this machine was killed, so that nothing of it happens out of sight any more.
        let killed = timed_out && matches!(action.process, Some(Note::Process { .. }));
        if timed_out && !killed {
            if closing.cancelled || action.spec.facts.on_timeout == OnTimeout::Tell {
                let ending = Ending::blocked("in_doubt", closing.by).result(result_of(action, &outcome));
                return self.close_with(closing, ending);
            }
            return self.go_on(closing, outcome, Next::Doubt);
        }
        let by_its_limit = matches!(&outcome, Outcome::Failed { fault, .. } if fault.code == "timed_out");
        let reason = if killed || by_its_limit { "stopped_after" } else { "failed" };
        let ending = Ending::failed(reason, closing.by).result(result_of(action, &outcome));
        self.close_with(closing, ending)
    }

    fn retries(&self, closing: &Closing) -> bool {
        let policy = closing.action.spec.on_failure;
        let retries = closing.action.policies.budget_policy.max_retries;
        let most = retries.map_or(u64::MAX, |retries| retries.saturating_add(1));
        let attempts = u64::from(closing.action.counts.failures) + 1;
        // The entries of a fan-out are retried, and not the whole of it.
        policy.on_failure == OnFailure::Retry
            && closing.action.spec.each.is_none()
            && attempts < u64::from(policy.max_attempts()).min(most)
            && !closing.stopping
    }

    fn backoff(&self, action: &Action) -> Time {
        let factor = 1_u64 << action.counts.failures.min(6);
        self.now.wall.plus_ms(BACKOFF_MS.saturating_mul(factor))
    }
}

fn cancelled(closing: &Closing, reason: &'static str, midway: bool) -> Ending {
    let result = words::cancelled(&closing.action, closing.cancelled_by.as_ref(), midway);
    Ending::cancelled(reason, EndedBy::Cancel).result(result)
}

/// The result of an attempt that failed: the executor's own, or one that says so.
fn result_of(action: &Action, outcome: &Outcome) -> Payload {
    match outcome {
        Outcome::TimedOut { .. } if action.by_client => words::client_timed_out(action),
        Outcome::TimedOut { ms } => words::timed_out(action, *ms),
        Outcome::Failed { fault, result } if result.shown().is_null() => {
            words::failure(action, &fault.code, &fault.message, serde_json::json!({}))
        }
        Outcome::Failed { result, .. } => result.clone(),
        Outcome::Completed { .. }
        | Outcome::Stopped
        | Outcome::Lost { .. }
        | Outcome::NotStarted { .. }
        | Outcome::Stale { .. }
        | Outcome::Proposed { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. } => Payload::default(),
    }
}
