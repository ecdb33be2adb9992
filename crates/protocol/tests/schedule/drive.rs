//! Drives the scheduler and the model with the same events and compares them after each.

use std::sync::Arc;

use fastrand::Rng;
use provost_contract::action::ActionStatus;
use provost_protocol::schedule::{
    CheckedGraph, Ending, Event, Goal, Limits, Schedule, ScheduledAction, Wait,
};
use provost_protocol::{Choice, Strategy};

use super::graphs::{self, Given};
use super::model::Slow;

const GRAPHS: u64 = 10_000;

#[test]
fn statuses_equal_the_model_after_every_event() {
    for seed in 0..GRAPHS {
        let mut rng = Rng::with_seed(seed);
        let size = graphs::size(&mut rng);
        let given = graphs::graph(&mut rng, size);
        Run::new(&given, &mut rng, seed).finish();
    }
}

struct Run<'a> {
    schedule: Schedule,
    slow: Slow<'a>,
    at_once: usize,
    rng: &'a mut Rng,
    seed: u64,
    decisions: u32,
}

impl<'a> Run<'a> {
    fn new(given: &'a [Given], rng: &'a mut Rng, seed: u64) -> Self {
        let actions: Vec<ScheduledAction<'_>> =
            given.iter().map(|given| ScheduledAction { action: &given.action, rules: given.rules }).collect();
        let graph = CheckedGraph::build(&actions, |_| false).unwrap();
        let sequential = rng.u8(0..8) == 0;
        let max_parallel = rng.usize(1..9);
        let strategy = if sequential { Strategy::Sequential } else { Strategy::Dag };
        let at_once = if sequential { 1 } else { max_parallel };
        let schedule = Schedule::new(Arc::new(graph), Limits::new(max_parallel, strategy).unwrap());
        let decisions = rng.u32(0..4);
        Self { schedule, slow: Slow::new(given, at_once), at_once, rng, seed, decisions }
    }

    fn finish(mut self) {
        self.compare();
        while self.step() {
            self.compare();
        }
        assert!(self.schedule.is_over(), "seed {}: every action ends with a status", self.seed);
    }

    /// One random event; false when nothing more can happen.
    fn step(&mut self) -> bool {
        let ready: Vec<usize> = self.schedule.ready().map(|start| start.at).collect();
        let running = self.with(ActionStatus::Running);
        let waiting = self.with(ActionStatus::Waiting);
        let undecided: Vec<usize> = self.schedule.undecided().collect();
        let may_decide = self.decisions > 0 && !undecided.is_empty() && !self.slow.is_stopped();
        if self.rng.u16(0..400) == 0 {
            self.schedule.apply(Event::CancelAsked).unwrap();
            self.slow.cancel();
        } else if may_decide && (self.rng.u8(0..12) == 0 || ready.is_empty() && running.is_empty()) {
            self.decide(&undecided);
        } else if !ready.is_empty() && (running.is_empty() || self.rng.bool()) {
            self.start(&ready);
        } else if !running.is_empty() && (waiting.is_empty() || self.rng.u8(0..4) > 0) {
            let at = self.pick(&running);
            self.end(at);
        } else if !waiting.is_empty() {
            let at = self.pick(&waiting);
            self.answer(at);
        } else {
            return false;
        }
        true
    }

    fn start(&mut self, ready: &[usize]) {
        let at = self.pick(ready);
        let fresh = self.slow.status[at] == ActionStatus::Pending && self.rng.u8(0..30) == 0;
        if fresh && self.schedule.apply(Event::Parked(at, Wait::Gate)).is_ok() {
            self.slow.park(at, Wait::Gate);
            return;
        }
        assert!(self.slow.may_begin(at), "seed {}: {at} begins before its dependencies", self.seed);
        self.schedule.apply(Event::Started(at)).unwrap();
        self.slow.start(at);
        for other in self.with(ActionStatus::Running) {
            assert!(!self.slow.excludes(at, other), "seed {}: {at} and {other} meet", self.seed);
        }
    }

    fn end(&mut self, at: usize) {
        if self.rng.u8(0..10) == 0 {
            let wait = if self.rng.bool() { Wait::Gate } else { Wait::Work };
            self.schedule.apply(Event::Parked(at, wait)).unwrap();
            self.slow.park(at, wait);
            return;
        }
        let ending = self.ending();
        self.schedule.apply(Event::Ended(at, ending)).unwrap();
        self.slow.end(at, ending);
    }

    fn answer(&mut self, at: usize) {
        if self.rng.u8(0..3) == 0 {
            self.schedule.apply(Event::Resumed(at)).unwrap();
            self.slow.resume(at);
            return;
        }
        let ending = if self.slow.has_begun(at) { self.ending() } else { Ending::Denied };
        self.schedule.apply(Event::Ended(at, ending)).unwrap();
        self.slow.end(at, ending);
    }

    fn decide(&mut self, undecided: &[usize]) {
        self.decisions -= 1;
        let at = self.pick(undecided);
        let choice = match self.rng.u8(0..10) {
            0 => Choice::Abort,
            1..4 => Choice::Retry,
            4..7 => Choice::Continue,
            7 => Choice::AskUser,
            _ => Choice::Skip,
        };
        self.schedule.apply(Event::Decided(at, choice)).unwrap();
        self.slow.decide(at, choice);
    }

    fn ending(&mut self) -> Ending {
        match self.rng.u8(0..20) {
            0..3 => Ending::Failed,
            3 => Ending::TimedOut,
            4 => Ending::Interrupted,
            5 => Ending::Denied,
            6..9 => Ending::Completed(Goal::NotReached),
            _ => Ending::Completed(Goal::Reached),
        }
    }

    fn compare(&self) {
        let statuses: Vec<ActionStatus> = self.schedule.statuses().map(|(_, status)| status).collect();
        assert_eq!(statuses, self.slow.status, "seed {}", self.seed);
        for (at, reason) in self.slow.reason.iter().enumerate() {
            assert_eq!(self.schedule.reason(at), *reason, "seed {}: {at}", self.seed);
        }
        let ready: Vec<usize> = self.schedule.ready().map(|start| start.at).collect();
        assert_eq!(ready, self.slow.ready(), "seed {}", self.seed);
        assert_eq!(
            self.schedule.undecided().collect::<Vec<_>>(),
            self.slow.undecided(),
            "seed {}",
            self.seed
        );
        assert_eq!(self.schedule.graph_status(), self.slow.graph_status(), "seed {}", self.seed);
        let running = self.with(ActionStatus::Running).len();
        assert!(running <= self.at_once, "seed {}: {running} at once", self.seed);
    }

    fn with(&self, status: ActionStatus) -> Vec<usize> {
        let all = self.schedule.statuses().enumerate();
        all.filter(|(_, (_, found))| *found == status).map(|(at, _)| at).collect()
    }

    fn pick(&mut self, positions: &[usize]) -> usize {
        positions[self.rng.usize(0..positions.len())]
    }
}
