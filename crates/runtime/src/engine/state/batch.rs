//! The calls of the current turn, and the schedule they run by.

use std::sync::{Arc, LazyLock};

use provost_contract::Message;
use provost_contract::action::Access;
use provost_contract::json::Object;
use provost_protocol::Strategy;
use provost_protocol::schedule::{Ending, Event, Goal, Limits, Plan, Schedule, Wait};

use super::transition::allows;
use super::{CallRecord, Rules};
use crate::engine::{self, ActionStarted, CallDeclared, CallWaits, KeptCall, TurnAnswered, WaitsFor};

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    /// The model asked for it.
    Declared,
    /// It stands in the transcript; whether it may run is to be decided.
    Opened,
    /// Somebody outside must answer.
    Waiting,
    /// Somebody outside let it run.
    Approved,
    /// An executor was asked, or is about to be.
    Started,
    /// It was started before the run was resumed, and did not end.
    InDoubt,
    /// It has its result; limits and the completion policy have not spoken yet.
    Settled,
    /// Nothing more is to be done about it.
    Done,
}

impl Stage {
    /// Whether the call began and has no result yet. One that was allowed has yet to begin.
    fn is_at_work(self) -> bool {
        match self {
            Self::Opened | Self::Started | Self::InDoubt => true,
            Self::Declared | Self::Waiting | Self::Approved | Self::Settled | Self::Done => false,
        }
    }

    /// Whether the call stands in the transcript without a result.
    fn is_open(self) -> bool {
        match self {
            Self::Opened | Self::Waiting | Self::Approved | Self::Started | Self::InDoubt => true,
            Self::Declared | Self::Settled | Self::Done => false,
        }
    }
}

/// One call of the turn.
#[derive(Clone, Debug)]
pub struct BatchCall {
    /// What the model asked for.
    pub declared: Arc<CallDeclared>,
    /// The same for records.
    pub(super) kept: Arc<CallRecord>,
    /// How far it has come.
    pub stage: Stage,
    /// How often an executor was asked.
    pub attempts: u32,
    /// The process that carries it out, or did last.
    pub process: Option<Arc<str>>,
    /// What it waits for, or waited for last.
    pub waits: Option<Arc<CallWaits>>,
    /// Who changed the arguments it runs with, when a person did.
    pub changed_by: Option<String>,
    /// How many messages of the transcript are about it.
    lines: usize,
}

impl BatchCall {
    /// Whether somebody was asked what became of it.
    pub fn is_in_doubt(&self) -> bool {
        self.waits.as_ref().is_some_and(|waits| matches!(waits.waits_for, WaitsFor::Doubt(_)))
    }

    /// Whether the last question about it was one that only a person may answer.
    pub fn was_asked_person_only(&self) -> bool {
        self.waits.as_ref().is_some_and(|waits| match &waits.waits_for {
            WaitsFor::Approval(proposal) => proposal.is_person_only(),
            WaitsFor::Doubt(_) | WaitsFor::Client(_) => false,
        })
    }
}

/// The calls of the current turn, and what was decided about the turn meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    calls: Vec<BatchCall>,
    /// Readers together, a writer alone, in the model's order. On the heap: there is none while the model thinks.
    schedule: Option<Box<Schedule>>,
    /// Where the messages about the calls begin in the transcript.
    first_line: usize,
    /// Whether the engine carries the calls out (and not the host itself).
    pub mediated: bool,
    /// How many calls the model made, malformed ones included.
    pub asked_for: usize,
    /// Results the host reported itself, and how many of them the completion policy has seen.
    pub managed: Vec<Object>,
    /// See `managed`.
    pub managed_judged: usize,
    /// What the host adds after the calls; taken once it was added.
    pub continuation: Vec<Arc<Message>>,
    /// Whether the host added something.
    pub continued: bool,
    /// Whether the completion policy or the mediator called the work done.
    pub complete: bool,
    /// Whether the rest of the calls is left out: a limit, a wait or the mediator stopped the turn.
    pub stopped: bool,
    /// Whether the mediator ended the work: what has not begun is left out, also when a wait ends later.
    pub(super) ended_by_mediator: bool,
    /// The first call of the turn that was one repetition too many.
    pub repetition: Option<Box<Object>>,
    /// Whether a rule kept the model from stopping.
    pub completion_blocked: bool,
    /// Whether somebody was asked for an interrupt already.
    pub interrupt_heard: bool,
    /// What the host said about another turn.
    pub go_on: Option<bool>,
    /// Whether somebody queued a message since the turn began.
    pub spoken_to: bool,
}

impl Batch {
    /// The calls of an answered turn; `event` says that it was.
    pub(super) fn of(
        answered: &TurnAnswered,
        event: &engine::Event,
        rules: &Rules,
        (turn, parallel_max): (u64, usize),
        first_line: usize,
    ) -> Self {
        let calls = answered.calls.as_deref().unwrap_or_default();
        let kept = KeptCall::of_turn(event);
        debug_assert_eq!(calls.len(), kept.len(), "an event's bytes hold its calls");
        let declared = |(place, (declared, kept)): (usize, (&Arc<CallDeclared>, KeptCall))| BatchCall {
            declared: declared.clone(),
            kept: Arc::new(CallRecord::new(turn, place, rules.name(&declared.name), kept)),
            stage: Stage::Declared,
            attempts: 0,
            process: None,
            changed_by: None,
            waits: None,
            lines: 0,
        };
        Self {
            schedule: schedule(calls, rules, parallel_max),
            calls: calls.iter().zip(kept).enumerate().map(declared).collect(),
            first_line,
            mediated: answered.calls.is_some(),
            asked_for: answered.asked_for(),
            managed: answered.managed.results.clone(),
            continuation: answered.continuation.clone(),
            ..Self::default()
        }
    }

    /// A call by its place.
    pub fn call(&self, place: usize) -> Option<&BatchCall> {
        self.calls.get(place)
    }

    /// Every call, in the model's order.
    pub fn in_all(&self) -> impl Iterator<Item = &BatchCall> {
        self.calls.iter()
    }

    /// The processes of calls that were started and have no result.
    pub fn processes(&self) -> impl Iterator<Item = (&CallDeclared, &Arc<str>)> {
        let open = self.calls.iter().filter(|call| call.stage.is_open());
        open.filter_map(|call| Some((&*call.declared, call.process.as_ref()?)))
    }

    /// The calls of a stage, in the model's order.
    pub fn in_stage(&self, stage: Stage) -> impl Iterator<Item = (usize, &BatchCall)> {
        self.calls.iter().enumerate().filter(move |(_, call)| call.stage == stage)
    }

    /// The first call of a stage, and its place.
    pub fn first_in(&self, stage: Stage) -> Option<(usize, &BatchCall)> {
        self.in_stage(stage).next()
    }

    /// The first call whose result nobody has judged; results are judged in the model's order.
    pub fn unjudged(&self) -> Option<(usize, &BatchCall)> {
        let mut open = self.calls.iter().enumerate();
        let (place, call) = open.find(|(_, call)| call.stage == Stage::Settled || call.stage.is_at_work())?;
        (call.stage == Stage::Settled).then_some((place, call))
    }

    /// The next call the schedule lets begin.
    pub fn ready(&self) -> Option<(usize, &BatchCall)> {
        let mut starts = self.schedule.as_ref().filter(|_| !self.stopped)?.ready();
        starts.find_map(|start| {
            let call = self.calls.get(start.at)?;
            let begins = call.stage == Stage::Declared && !self.ended_by_mediator;
            (begins || call.stage == Stage::Approved).then_some((start.at, call))
        })
    }

    /// How many calls of a tool (or of every tool) began and have no result yet.
    pub fn at_work(&self, tool: Option<&str>) -> usize {
        let counts =
            |call: &&BatchCall| call.stage.is_at_work() && tool.is_none_or(|tool| call.declared.name == tool);
        self.calls.iter().filter(counts).count()
    }

    /// Whether a call stands in the transcript without a result: then no other turn may begin.
    pub(in crate::engine) fn is_open(&self) -> bool {
        self.calls.iter().any(|call| call.stage.is_open())
    }

    /// The model called nothing and nobody added anything: it has no more to say.
    pub fn is_natural_end(&self) -> bool {
        self.mediated && self.asked_for == 0 && !self.continued && !self.completion_blocked && !self.spoken_to
    }

    /// Where the next message about a call belongs in the transcript, counted as one of its lines.
    pub(super) fn add_line(&mut self, place: usize) -> usize {
        let before: usize = self.calls.iter().take(place + 1).map(|call| call.lines).sum();
        if let Some(call) = self.calls.get_mut(place) {
            call.lines += 1;
        }
        self.first_line + before
    }

    /// Gives up the newest line about a call: where it stands.
    pub(super) fn take_line(&mut self, place: usize) -> usize {
        if let Some(call) = self.calls.get_mut(place) {
            call.lines = call.lines.saturating_sub(1);
        }
        let before: usize = self.calls.iter().take(place + 1).map(|call| call.lines).sum();
        self.first_line + before
    }

    pub(super) fn open(&mut self, place: usize) {
        self.move_to(place, "call_opened", Stage::Opened);
        self.scheduled(Event::Started(place));
    }

    pub(super) fn start(&mut self, started: &ActionStarted) {
        let place = started.call;
        if self.stage(place) == Some(Stage::Approved) {
            self.scheduled(Event::Started(place));
        }
        self.move_to(place, "action_started", Stage::Started);
        if let Some(call) = self.calls.get_mut(place) {
            call.attempts = started.attempt;
            call.process = started.process.as_deref().map(Arc::from);
        }
    }

    /// What waits for leave to begin lets others pass; what is in doubt or at a client does not.
    pub(super) fn wait(&mut self, place: usize, waits: &Arc<CallWaits>) {
        let wait = match waits.waits_for {
            WaitsFor::Approval(_) => Wait::Gate,
            WaitsFor::Doubt(_) | WaitsFor::Client(_) => Wait::Work,
        };
        self.scheduled(Event::Parked(place, wait));
        self.move_to(place, "call_waits", Stage::Waiting);
        if let Some(call) = self.calls.get_mut(place) {
            call.waits = Some(waits.clone());
        }
    }

    /// Somebody let the call run; `event` says so, and with which arguments.
    pub(super) fn approve(
        &mut self,
        place: usize,
        (edited, by): (Option<&Arc<CallDeclared>>, &str),
        event: &engine::Event,
    ) {
        self.scheduled(Event::Resumed(place));
        self.move_to(place, "call_approved", Stage::Approved);
        if let (Some(call), Some(edited), Some(kept)) =
            (self.calls.get_mut(place), edited, KeptCall::edited(event))
        {
            call.declared = edited.clone();
            call.changed_by = Some(by.to_owned());
            call.kept = Arc::new(call.kept.edited(kept));
        }
    }

    /// The call has its result: its place is free for others once nothing more is to be done about it.
    pub(super) fn settle(&mut self, place: usize, stage: Stage) {
        self.end(place, "call_settled", stage);
    }

    fn end(&mut self, place: usize, on: &str, stage: Stage) {
        let ending = match self.stage(place) {
            Some(Stage::Waiting | Stage::Approved | Stage::Declared) => Ending::Denied,
            _ => Ending::Completed(Goal::Reached),
        };
        self.move_to(place, on, stage);
        if stage == Stage::Done {
            self.scheduled(Event::Ended(place, ending));
        }
    }

    /// A result that was looked at needs nothing more.
    pub(super) fn judge(&mut self, place: usize, on: &str) {
        self.end(place, on, Stage::Done);
    }

    /// After a resume, what was started and did not end is in doubt.
    pub(super) fn doubt(&mut self) {
        let started: Vec<usize> = self.in_stage(Stage::Started).map(|(place, _)| place).collect();
        started.into_iter().for_each(|place| self.move_to(place, "run_resumed", Stage::InDoubt));
    }

    /// What never began is left out for good.
    pub(super) fn leave_out_rest(&mut self, on: &str) {
        let rest: Vec<usize> = self.in_stage(Stage::Declared).map(|(place, _)| place).collect();
        rest.into_iter().for_each(|place| self.end(place, on, Stage::Done));
    }

    fn stage(&self, place: usize) -> Option<Stage> {
        self.calls.get(place).map(|call| call.stage)
    }

    fn move_to(&mut self, place: usize, on: &str, stage: Stage) {
        debug_assert!(place < self.calls.len(), "an event speaks of a call the turn does not have");
        let Some(call) = self.calls.get_mut(place) else { return };
        debug_assert!(allows(call.stage, on, stage), "no row: {:?} {on} {stage:?}", call.stage);
        call.stage = stage;
    }

    fn scheduled(&mut self, event: Event) {
        let applied = self.schedule.as_mut().map(|schedule| schedule.apply(event));
        debug_assert!(matches!(applied, Some(Ok(()))), "{event:?} does not fit the schedule: {applied:?}");
    }
}

/// Native calls are a plan without edges. They do not say what they touch: a call that only reads shares
/// the world with other readers, any other has it for itself.
fn schedule(calls: &[Arc<CallDeclared>], rules: &Rules, parallel_max: usize) -> Option<Box<Schedule>> {
    if calls.is_empty() {
        return None;
    }
    let access = |call: &Arc<CallDeclared>| {
        if rules.only_reads(&call.name) { Access::Read } else { Access::Write }
    };
    let plan = match calls {
        [call] => plan_of_one(access(call)),
        calls => Arc::new(Plan::of_calls(&calls.iter().map(access).collect::<Vec<_>>())),
    };
    let limits = Limits::new(parallel_max.max(1), Strategy::Dag).ok()?;
    Some(Box::new(Schedule::new(plan, limits)))
}

/// Most turns have one call, and their plans are alike.
fn plan_of_one(access: Access) -> Arc<Plan> {
    static READ: LazyLock<Arc<Plan>> = LazyLock::new(|| Arc::new(Plan::of_calls(&[Access::Read])));
    static WRITE: LazyLock<Arc<Plan>> = LazyLock::new(|| Arc::new(Plan::of_calls(&[Access::Write])));
    match access {
        Access::Read => READ.clone(),
        Access::Write => WRITE.clone(),
    }
}
