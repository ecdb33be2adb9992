//! The slow model: everything about waiting and blocking is worked out anew after every event, from the
//! endings alone, by looking at the whole graph until nothing changes.

use provost_contract::action::ActionStatus::{
    self, Blocked, Canceled, Completed, Failed, Pending, Running, Waiting,
};
use provost_contract::action::{Access, Idempotency, OnFailure, OutcomeReason};
use provost_contract::policies::{CancellationPolicy, ConflictResolution};
use provost_protocol::Choice;
use provost_protocol::schedule::{Ending, Goal, GraphStatus, Wait};

use super::graphs::Given;

pub(super) struct Slow<'a> {
    given: &'a [Given],
    at_once: usize,
    pub(super) status: Vec<ActionStatus>,
    pub(super) reason: Vec<Option<OutcomeReason>>,
    passed_over: Vec<bool>,
    attempts: Vec<u32>,
    failures: Vec<u32>,
    interruptions: Vec<u32>,
    rounds: Vec<u32>,
    place: Vec<bool>,
    holds: Vec<bool>,
    stop: Option<OutcomeReason>,
}

impl<'a> Slow<'a> {
    pub(super) fn new(given: &'a [Given], at_once: usize) -> Self {
        let count = given.len();
        let mut slow = Self {
            given,
            at_once,
            status: vec![Pending; count],
            reason: vec![None; count],
            passed_over: vec![false; count],
            attempts: vec![0; count],
            failures: vec![0; count],
            interruptions: vec![0; count],
            rounds: vec![0; count],
            place: vec![false; count],
            holds: vec![false; count],
            stop: None,
        };
        slow.work_out();
        slow
    }

    /// What may start: what goes on in its place, then what is ready, in declaration order.
    pub(super) fn ready(&self) -> Vec<usize> {
        let all = 0..self.given.len();
        if self.stop == Some(OutcomeReason::CanceledByUser) {
            return Vec::new();
        }
        let mut ready: Vec<usize> =
            all.clone().filter(|at| self.status[*at] == Pending && self.place[*at]).collect();
        if self.stop.is_some() {
            return ready;
        }
        let free = self.at_once - self.place.iter().filter(|taken| **taken).count();
        let waiting: Vec<usize> = all.clone().filter(|at| self.waits_for_nothing(*at)).collect();
        let startable = waiting.iter().copied().filter(|at| {
            let held = all.clone().any(|other| self.holds[other] && self.excludes(*at, other));
            !held && !waiting.iter().any(|other| other < at && self.excludes(*at, *other))
        });
        ready.extend(startable.take(free));
        ready
    }

    fn waits_for_nothing(&self, at: usize) -> bool {
        let dependencies = &self.given[at].dependencies;
        self.status[at] == Pending
            && !self.place[at]
            && (self.attempts[at] > 0
                || dependencies.iter().all(|dependency| self.status[*dependency].is_end()))
    }

    pub(super) fn excludes(&self, one: usize, other: usize) -> bool {
        let uses = |at: usize| &self.given[at].action.resources;
        one != other
            && uses(one).iter().any(|left| {
                uses(other).iter().any(|right| {
                    left.name == right.name
                        && self.strict(&left.name)
                        && (self.writes(one, &left.name) || self.writes(other, &left.name))
                })
            })
    }

    fn writes(&self, at: usize, name: &str) -> bool {
        self.given[at].action.resources.iter().any(|used| used.name == name && used.access == Access::Write)
    }

    /// Whether anybody who uses the resource wants more than the last writer to win.
    fn strict(&self, name: &str) -> bool {
        self.given.iter().any(|given| {
            given.rules.conflicts != ConflictResolution::LastWriter
                && given.action.resources.iter().any(|used| used.name == name)
        })
    }

    pub(super) fn start(&mut self, at: usize) {
        self.status[at] = Running;
        self.attempts[at] += 1;
        self.place[at] = true;
        self.holds[at] = true;
    }

    pub(super) fn end(&mut self, at: usize, ending: Ending) {
        let given = &self.given[at];
        let may_repeat = given.rules.idempotency != Idempotency::None;
        match ending {
            Ending::Completed(goal) => self.complete(at, goal),
            Ending::Denied => self.finish(at, Blocked, Some(OutcomeReason::Denied)),
            Ending::TimedOut | Ending::Interrupted if !may_repeat => {
                self.finish(at, Blocked, Some(OutcomeReason::InDoubt));
            }
            Ending::Interrupted => {
                self.interruptions[at] += 1;
                let again = self.interruptions[at] < 3 && self.may_go_on(at);
                if again { self.again(at) } else { self.fail(at, None) }
            }
            Ending::Failed | Ending::TimedOut => {
                self.failures[at] += 1;
                let most = match given.rules.retries_max {
                    Some(retries) => given.action.failure_policy.max_attempts().min(retries as u32 + 1),
                    None => given.action.failure_policy.max_attempts(),
                };
                let again = may_repeat && self.failures[at] < most && self.may_go_on(at);
                if again { self.again(at) } else { self.fail(at, None) }
            }
        }
        self.work_out();
    }

    fn complete(&mut self, at: usize, goal: Goal) {
        let repeat = self.given[at].action.repeat.as_ref();
        let has_goal = repeat.is_some_and(|repeat| repeat.until.is_some());
        let last = self.rounds[at] + 1 == repeat.map_or(1, |repeat| repeat.max());
        if has_goal && goal == Goal::Reached || !has_goal && last {
            self.finish(at, Completed, None);
        } else if last {
            self.fail(at, Some(OutcomeReason::RoundsExhausted));
        } else if self.may_go_on(at) {
            self.rounds[at] += 1;
            self.failures[at] = 0;
            self.again(at);
        } else {
            self.finish(at, Canceled, self.stop);
        }
    }

    fn may_go_on(&self, at: usize) -> bool {
        match self.stop {
            None => true,
            Some(reason) => reason == OutcomeReason::Aborted && self.place[at],
        }
    }

    fn fail(&mut self, at: usize, reason: Option<OutcomeReason>) {
        self.finish(at, Failed, reason);
        match self.given[at].action.failure_policy.on_failure {
            OnFailure::Continue => self.passed_over[at] = true,
            OnFailure::Abort => self.stop = self.stop.or(Some(OutcomeReason::Aborted)),
            OnFailure::Retry | OnFailure::AskModel => {}
        }
    }

    fn again(&mut self, at: usize) {
        self.holds[at] = self.holds[at] && self.place[at];
        self.status[at] = Pending;
        self.reason[at] = None;
    }

    fn finish(&mut self, at: usize, status: ActionStatus, reason: Option<OutcomeReason>) {
        self.status[at] = status;
        self.reason[at] = reason;
        self.place[at] = false;
        self.holds[at] = false;
    }

    pub(super) fn park(&mut self, at: usize, wait: Wait) {
        self.status[at] = Waiting;
        self.place[at] = false;
        self.holds[at] = self.holds[at] && wait == Wait::Work;
    }

    pub(super) fn resume(&mut self, at: usize) {
        self.holds[at] = false;
        match self.stop {
            Some(reason) => self.finish(at, Canceled, Some(reason)),
            None => self.status[at] = Pending,
        }
        self.work_out();
    }

    pub(super) fn cancel(&mut self) {
        self.stop = Some(OutcomeReason::CanceledByUser);
        for at in 0..self.given.len() {
            let rules = self.given[at].rules;
            let begun = self.attempts[at] > 0;
            match (self.status[at], rules.on_cancel) {
                (Pending, _) => self.finish(at, Canceled, self.stop),
                (Running | Waiting, CancellationPolicy::LetFinish) if begun => {}
                (Running | Waiting, CancellationPolicy::StopAndMarkInDoubt)
                    if begun && rules.idempotency != Idempotency::Pure =>
                {
                    self.finish(at, Blocked, Some(OutcomeReason::InDoubt));
                }
                (Running | Waiting, _) => self.finish(at, Canceled, self.stop),
                (Completed | Failed | Blocked | Canceled, _) => {}
            }
        }
    }

    pub(super) fn decide(&mut self, at: usize, choice: Choice) {
        match choice {
            Choice::AskUser => {}
            Choice::Abort => self.stop = Some(OutcomeReason::Aborted),
            Choice::Continue => self.passed_over[at] = true,
            Choice::Skip => self.finish(at, Canceled, Some(OutcomeReason::Skipped)),
            Choice::Retry => {
                self.status[at] = Pending;
                self.reason[at] = None;
                self.failures[at] = 0;
                self.interruptions[at] = 0;
                self.passed_over[at] = false;
            }
        }
        self.work_out();
    }

    /// Forgets every ending that only followed from others, and works them out from the beginning.
    fn work_out(&mut self) {
        let all = 0..self.given.len();
        if let Some(stop) = self.stop {
            for at in all {
                let never_began = self.status[at] == Waiting && self.attempts[at] == 0;
                if never_began || self.status[at] == Pending && !self.place[at] {
                    self.finish(at, Canceled, Some(stop));
                }
            }
            return;
        }
        for at in all.clone().filter(|at| self.attempts[*at] == 0) {
            let followed =
                [Some(OutcomeReason::DependencyNotCompleted), Some(OutcomeReason::ConditionNotMet)];
            if followed.contains(&self.reason[at]) {
                self.status[at] = Pending;
                self.reason[at] = None;
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in all.clone() {
                if let Some((status, reason)) = self.follows(at) {
                    self.finish(at, status, Some(reason));
                    changed = true;
                }
            }
        }
    }

    /// The ending that follows for an action that has not begun, if one does.
    fn follows(&self, at: usize) -> Option<(ActionStatus, OutcomeReason)> {
        if self.status[at] != Pending || self.attempts[at] > 0 {
            return None;
        }
        let Given { action, dependencies, .. } = &self.given[at];
        let condition = |dependency: usize| {
            action.when.iter().find(|when| when.action == self.given[dependency].action.id)
        };
        let left_out = |at: usize| {
            [Some(OutcomeReason::ConditionNotMet), Some(OutcomeReason::Skipped)].contains(&self.reason[at])
        };
        let good = |dependency: usize| match condition(dependency) {
            Some(when) => self.status[dependency] == when.status.into(),
            None => {
                self.status[dependency] == Completed || self.passed_over[dependency] && !left_out(dependency)
            }
        };
        let ended = |dependency: &&usize| self.status[**dependency].is_end();
        let bad = dependencies.iter().filter(ended).any(|dependency| {
            condition(*dependency).is_none() && !good(*dependency) && !left_out(*dependency)
        });
        if bad {
            return Some((Blocked, OutcomeReason::DependencyNotCompleted));
        }
        if dependencies.iter().filter(ended).count() < dependencies.len() || dependencies.is_empty() {
            return None;
        }
        let unmet =
            dependencies.iter().any(|dependency| condition(*dependency).is_some() && !good(*dependency));
        let nothing_good = !dependencies.iter().any(|dependency| good(*dependency));
        (unmet || nothing_good).then_some((Canceled, OutcomeReason::ConditionNotMet))
    }

    /// Failed or blocked by itself, and nobody decided.
    pub(super) fn undecided(&self) -> Vec<usize> {
        let open = |at: &usize| {
            matches!(self.status[*at], Failed | Blocked)
                && self.reason[*at] != Some(OutcomeReason::DependencyNotCompleted)
                && !self.passed_over[*at]
        };
        (0..self.given.len()).filter(open).collect()
    }

    pub(super) fn has_begun(&self, at: usize) -> bool {
        self.attempts[at] > 0
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) fn graph_status(&self) -> GraphStatus {
        if self.stop == Some(OutcomeReason::CanceledByUser) {
            GraphStatus::Canceled
        } else if self.status.contains(&Failed) {
            GraphStatus::Failed
        } else if self.status.contains(&Blocked) || self.status.contains(&Waiting) {
            GraphStatus::Blocked
        } else {
            GraphStatus::Completed
        }
    }

    /// Whether an action's dependencies allow it to begin, said once more in the plainest words. Once it
    /// has begun, a decision about a dependency no longer holds it up.
    pub(super) fn may_begin(&self, at: usize) -> bool {
        let Given { action, dependencies, .. } = &self.given[at];
        let begun = self.attempts[at] > 0;
        begun
            || dependencies.iter().all(|dependency| {
                let when = action.when.iter().find(|when| when.action == self.given[*dependency].action.id);
                match (when, self.status[*dependency]) {
                    (Some(when), status) => status == when.status.into(),
                    (None, Completed | Canceled) => true,
                    (None, Failed | Blocked) => self.passed_over[*dependency],
                    (None, Pending | Running | Waiting) => false,
                }
            })
    }
}
