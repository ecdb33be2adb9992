//! A world: a store, workers that die and wake at the wrong moment, and a clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use provost_contract::Message;
use provost_engine::event::{DeclarationAccepted, Origin, RunAccepted, RunSpec, Stop};
use provost_engine::{
    ActionId, Actor as By, Digest, Epoch, Event, EventKind, Input, NewRun, Now, Record, RunId, RunState, Seq,
    SessionEntry, SessionId, SessionTake, Time, WhenBusy,
};
use provost_runtime::store::memory::MemoryTables;
use provost_runtime::store::{About, ClaimFilter};

use super::Violation;
use super::actor::Actor;
use super::agents::{Agents, Persona};
use super::check::Checker;
use super::defects::StoreDefect;
use super::dice::{chance, one};
use super::generate::{self, Place, RESERVE, Recipe, WORKSPACE, tokens};
use super::ground::Ground;

/// How long a worker's lease is: its end is decided by the world, not by time.
const LEASE_MS: u64 = 1 << 50;

/// Which faults happen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    /// Random ones.
    pub(super) random: bool,
    /// A crash at a commit, counted from 1; true means after the write.
    pub(super) crash_at: Option<(usize, bool)>,
    /// A crash right after an effect was started, counted from 1.
    pub(super) kill_at: Option<usize>,
}

/// A world.
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) recipe: Recipe,
    pub(super) now: Time,
    pub(super) tables: MemoryTables,
    pub(super) journals: BTreeMap<RunId, Vec<Event>>,
    pub(super) personas: BTreeMap<RunId, Persona>,
    pub(super) active_ms: BTreeMap<RunId, u64>,
    pub(super) actors: BTreeMap<u32, Actor>,
    /// How often a run lost its worker.
    pub(super) accidents: BTreeMap<RunId, u32>,
    pub(super) unburied: Vec<provost_engine::WorkerId>,
    pub(super) late: Vec<(RunId, Input)>,
    pub(super) ground: Ground,
    pub(super) checker: Checker,
    pub(super) strict: bool,
    pub(super) faults: Faults,
    pub(super) defect: Option<StoreDefect>,
    pub(super) commits: usize,
    pub(super) starts: usize,
    pub(super) names: u32,
    pub(super) counts: BTreeMap<String, u64>,
    pub(super) trace: bool,
    /// How many things happen before it comes to rest.
    pub(super) steps: u32,
}

impl World {
    pub(super) fn new(seed: u64, agents: Arc<Agents>, faults: Faults) -> Self {
        let mut rng = Rng::with_seed(seed);
        let recipe = Recipe::new(&mut rng, agents);
        Self {
            rng,
            recipe,
            now: Time(1_000_000),
            tables: MemoryTables::default(),
            journals: BTreeMap::new(),
            personas: BTreeMap::new(),
            active_ms: BTreeMap::new(),
            actors: BTreeMap::new(),
            accidents: BTreeMap::new(),
            unburied: Vec::new(),
            late: Vec::new(),
            ground: Ground::default(),
            checker: Checker::default(),
            strict: false,
            faults,
            defect: None,
            commits: 0,
            starts: 0,
            names: 0,
            counts: BTreeMap::new(),
            trace: false,
            steps: super::STEPS,
        }
    }

    pub(super) fn count(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    pub(super) fn say(&self, line: impl FnOnce() -> String) {
        if self.trace {
            println!("{:>9} {}", self.now.0, line());
        }
    }

    pub(super) fn name(&mut self, what: &str) -> String {
        self.names += 1;
        format!("{what}{}", self.names)
    }

    /// Returns the time as an actor sees it.
    pub(super) fn now_of(&self, run: &RunId, draining: bool) -> Now {
        let active_ms = self.active_ms.get(run).copied().unwrap_or_default();
        Now { wall: self.now, active_ms, draining, can_seal: true, reserve: tokens(RESERVE) }
    }

    /// Time passes; it counts for runs that a worker holds.
    pub(super) fn pass_time(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
        let held: Vec<RunId> =
            self.actors.values().filter(|actor| !actor.zombie).map(|actor| actor.run.clone()).collect();
        for run in held {
            *self.active_ms.entry(run).or_default() += ms;
        }
        self.tables.expire_due(self.now, usize::MAX);
    }

    /// Folds the journal of a run as it is stored.
    pub(super) fn fold(&self, run: &RunId, strict: bool) -> Result<RunState, Violation> {
        let persona = self.personas.get(run).ok_or_else(|| Violation::new(run, "it has no agent"))?;
        let journal = self.journals.get(run).map(Vec::as_slice).unwrap_or_default();
        let mut state = RunState::fold(persona.agent.clone(), history(journal), journal)
            .map_err(|illegal| Violation::new(run, format!("the journal cannot be folded: {illegal}")))?;
        state.today = Some(if strict { persona.stricter.clone() } else { persona.agent.clone() });
        Ok(state)
    }

    /// Takes committed records into the journal and shows them to the checker.
    pub(super) fn written(
        &mut self,
        run: &RunId,
        records: &[Record],
        events: &[Event],
    ) -> Result<(), Violation> {
        for (record, event) in records.iter().zip(events) {
            let read = Event::from_record(record).map_err(|error| Violation::new(run, error.to_string()))?;
            if read != *event {
                let problem = format!("a record reads otherwise than it was written: {event:?} {read:?}");
                return Err(Violation::new(run, problem));
            }
            self.say(|| format!("{run} {} {}", event.seq, brief(&event.kind)));
            self.count(event.kind.name());
            if let Some(detail) = detail(&event.kind) {
                self.count(format!("{}: {detail}", event.kind.name()));
            }
            self.journals.entry(run.clone()).or_default().push(read);
            self.checker.event(run, event)?;
            self.is_crash_loop(run, &event.kind)?;
        }
        Ok(())
    }

    /// Only a run that lost its workers has crashed too often.
    fn is_crash_loop(&self, run: &RunId, kind: &EventKind) -> Result<(), Violation> {
        let EventKind::RunStopping(stopping) = kind else { return Ok(()) };
        let lost = self.accidents.get(run).copied().unwrap_or_default();
        match &stopping.stop {
            Stop::Interrupted { code, .. } if code == "crash_loop" && lost < 3 => {
                Err(Violation::new(run, format!("a crash loop after {lost} accidents")))
            }
            _ => Ok(()),
        }
    }

    /// A run loses its worker.
    pub(super) fn lost_worker(&mut self, run: &RunId) {
        *self.accidents.entry(run.clone()).or_default() += 1;
    }

    /// Makes the first records of a run.
    pub(super) fn new_run(&mut self, place: Place) -> Result<(NewRun, Vec<Event>), Violation> {
        let number = self.rng.usize(..16);
        let recipe = self.recipe.clone();
        let persona = recipe.agents.persona(number).ok_or_else(|| Violation::new(&place.run, "no agents"))?;
        let (run, session) = (place.run.clone(), place.session.clone());
        let spec = generate::run(&mut self.rng, &recipe, persona, place);
        self.personas.insert(run.clone(), persona.clone());
        let mut kinds: Vec<EventKind> = vec![RunAccepted { spec: Arc::new(spec.clone()) }.into()];
        if spec.model == provost_engine::event::ModelUse::None {
            kinds.push(self.workflow().into());
        }
        let mut head = Digest::ZERO;
        let (mut records, mut events) = (Vec::new(), Vec::new());
        for (kind, seq) in kinds.into_iter().zip(1..) {
            let event = Event {
                seq: Seq(seq),
                at: self.now,
                epoch: Epoch(0),
                actor: By::runtime(),
                kind,
                erased: false,
            };
            let record =
                event.to_record(&run, head).map_err(|error| Violation::new(&run, error.to_string()))?;
            head = record.hash;
            records.push(record);
            events.push(event);
        }
        Ok((accepted(&spec, session, &mut self.rng, records), events))
    }

    /// The declaration of a run without a model.
    fn workflow(&mut self) -> DeclarationAccepted {
        let steps = generate::steps(&mut self.rng, &self.recipe, 0, false);
        let id = |index| ActionId { declaration: 1, index };
        let add = steps.into_iter().zip(0..).map(|(step, index)| {
            let mut spec = step.spec;
            spec.id = id(index);
            spec.origin = Origin::Workflow;
            spec.depends_on = step.depends_on.into_iter().map(id).collect();
            let when = step.when.into_iter();
            spec.when = when
                .map(|(index, status)| provost_engine::event::When { action: id(index), status })
                .collect();
            Arc::new(spec)
        });
        DeclarationAccepted {
            declaration: 1,
            origin: Origin::Workflow,
            intent: "act".into(),
            add: add.collect(),
            cancel: Vec::new(),
            replace: Vec::new(),
            decide: Vec::new(),
            answer: None,
            title: None,
            note: None,
            violations: Vec::new(),
            price: provost_engine::Usage::default(),
            signature: None,
        }
    }

    /// A run comes through the door.
    pub(super) fn accept(&mut self, session: Option<SessionId>) -> Result<(), Violation> {
        let name = self.name("r");
        let run: RunId = name.parse().map_err(|_| Violation::new(&name, "not a name"))?;
        let row = session.as_ref().and_then(|id| self.session(id));
        let (from, version) = row.map_or((0, 0), |row| (row.head, row.version));
        let place = Place {
            run: run.clone(),
            session: session.map(|id| (id, from)),
            parent: None,
            strict: self.strict,
        };
        let (mut new, events) = self.new_run(place)?;
        if let Some(take) = &mut new.session {
            take.version = version;
        }
        if self.tables.accept(self.now, &new).is_ok() {
            self.written(&run, &new.records, &events)?;
        }
        Ok(())
    }

    pub(super) fn session(&self, id: &SessionId) -> Option<provost_runtime::store::SessionRow> {
        let all = self.tables.list_sessions(&provost_runtime::store::SessionFilter::default(), None, 10);
        all.items.into_iter().find(|row| row.about.session == *id)
    }

    /// A worker claims a run that needs one.
    pub(super) fn claim(&mut self) -> Result<(), Violation> {
        let name = self.name("worker");
        let worker: provost_engine::WorkerId =
            name.parse().map_err(|_| Violation::new(&name, "not a name"))?;
        let about = About { machine: "m".into(), pid: self.names, start: 1 };
        let registered = self.tables.register(self.now, &worker, &about, LEASE_MS).is_ok();
        let claimed = self.tables.claim_due(self.now, &worker, &ClaimFilter::default(), 1);
        let Some(claimed) =
            claimed.ok().and_then(|claimed| claimed.into_iter().next()).filter(|_| registered)
        else {
            return Ok(());
        };
        self.count("claimed");
        self.say(|| format!("{} claimed by {worker} as epoch {}", claimed.run, claimed.epoch));
        let state = self.fold(&claimed.run, self.strict)?;
        let id = self.names;
        let head = self.tables.listed_run(&claimed.run).map_or(Digest::ZERO, |listed| listed.row.head_hash);
        let compiled = state.spec.compiled;
        let actor = Actor::new(claimed.run, claimed.epoch, worker.clone(), state, head, self.strict);
        self.actors.insert(id, actor);
        let (policy, standing) = (super::agents::policy(self.strict), self.tables.standing(WORKSPACE));
        let epoch = claimed.epoch;
        self.feed(id, vec![Input::Claimed { epoch, worker, compiled, policy, standing }])
    }
}

fn accepted(
    spec: &RunSpec,
    session: Option<(SessionId, u64)>,
    rng: &mut Rng,
    records: Vec<Record>,
) -> NewRun {
    let parent = spec.parent.as_ref();
    let take = session.map(|(session, _)| SessionTake {
        session,
        version: 0,
        busy: one(rng, WhenBusy::Refuse, &[WhenBusy::Enqueue]),
        entries: vec![SessionEntry { seq: Seq(1), kind: "run_accepted".into() }],
    });
    NewRun {
        run: spec.run.clone(),
        root: parent.map_or(&spec.run, |parent| &parent.root).clone(),
        parent: parent.map(|parent| parent.run.clone()),
        workspace: spec.workspace.clone(),
        agent: spec.agent.clone(),
        agent_digest: spec.compiled,
        queue: String::new(),
        priority: 0,
        not_before: None,
        records,
        summary: serde_json::Value::Null,
        session: take,
        dedupe: None,
        artifacts: Vec::new(),
    }
}

/// What a run has read of its session: enough to tell two folds apart.
fn history(journal: &[Event]) -> Vec<Arc<Message>> {
    let from = journal.first().and_then(|event| match &event.kind {
        EventKind::RunAccepted(accepted) => accepted.spec.session.as_ref().map(|session| session.from),
        _ => None,
    });
    (0..from.unwrap_or_default()).map(|line| Arc::new(Message::text("user", format!("{line}")))).collect()
}

/// What is counted of an event beside its kind.
fn detail(kind: &EventKind) -> Option<String> {
    let first = |text: String| text.split([' ', '{', '(']).next().map(str::to_owned).unwrap_or_default();
    Some(match kind {
        EventKind::SignalTaken(taken) => {
            format!("{} {:?}", first(format!("{:?}", taken.body)), taken.ignored)
        }
        EventKind::RunStopping(stopping) => first(format!("{:?}", stopping.stop)),
        EventKind::RunEnded(ended) => format!("{:?}", ended.status),
        EventKind::AttemptEnded(ended) => {
            format!("{} {}", first(format!("{:?}", ended.outcome)), first(format!("{:?}", ended.next)))
        }
        EventKind::ActionEnded(ended) => format!("{:?} {} {:?}", ended.status, ended.reason, ended.effect),
        EventKind::WaitOpened(opened) => opened.kind.as_str().to_owned(),
        EventKind::WaitSettled(settled) => format!("{:?}", settled.how),
        EventKind::HookAnswered(answered) => {
            format!("{:?} {}", answered.hook, first(format!("{:?}", answered.answer)))
        }
        _ => return None,
    })
}

/// An event in one line.
fn brief(kind: &EventKind) -> String {
    let mut text = format!("{kind:?}");
    if let Some((end, _)) = text.char_indices().nth(360) {
        text.truncate(end);
    }
    text
}

/// Whether a fault of so many in a hundred happens now.
pub(super) fn fault(world: &mut World, percent: u32) -> bool {
    chance(&mut world.rng, percent) && world.faults.random
}
