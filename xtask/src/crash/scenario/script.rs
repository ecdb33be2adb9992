//! One scenario, and the words it is written in.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use provost_engine::event::{
    ActionSpec, Hook, HookAnswer, HookSet, Limits, Mode, ModelUse, Purpose, RunSpec, Signal,
};
use provost_engine::{AgentSpec, Verdict};
use provost_runtime::actor::ModelReply;
use serde_json::{Value, json};

use super::super::agents::Known;
use super::people::{Doubt, Letter, Person, When, Work};
use super::turns::{Turn, says};

/// What carrying out an action does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// Nothing.
    Read,
    /// Something, once a key.
    Keyed,
    /// Something, every time.
    Once,
}

/// What a tool does when it is called.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Does {
    Works,
    Fails,
    /// It fails at the first attempt.
    FailsFirst,
    Hangs,
    /// A program that proposes changes of these paths.
    Proposes(&'static [(&'static str, Verdict)]),
    AsksForInput,
    /// A process of its own, which outlives its worker.
    Outlives,
}

/// Whether executors can say what became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Recall {
    /// By its key.
    Remembers,
    /// They cannot; people are asked.
    Forgets,
}

/// How much of an undisturbed run a recovered one must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Exactness {
    /// Every action and every effect.
    Everything,
    /// The status, and no effect that an undisturbed run does not have.
    End,
}

/// Something that is asked for, when everything before it is over.
#[derive(Clone, Debug)]
pub(in super::super) struct Ask {
    pub(in super::super) run: &'static str,
    pub(in super::super) session: Option<&'static str>,
    /// Whether it is asked together with the one before it.
    pub(in super::super) together: bool,
}

type HookRule = Arc<dyn Fn(Hook, u32, &str) -> HookAnswer + Send + Sync>;

/// One scenario.
#[derive(Clone)]
pub(in super::super) struct Scenario {
    pub(in super::super) name: &'static str,
    pub(in super::super) mode: Mode,
    pub(in super::super) policy: Value,
    pub(in super::super) shape_agent: fn(&mut AgentSpec),
    shape: fn(&mut RunSpec),
    turns: BTreeMap<&'static str, Vec<Turn>>,
    does: BTreeMap<&'static str, Does>,
    people: BTreeMap<&'static str, Person>,
    pub(in super::super) work: Work,
    pub(in super::super) doubt: Doubt,
    pub(in super::super) letters: Vec<Letter>,
    hook: Option<HookRule>,
    pub(in super::super) recall: Recall,
    pub(in super::super) exactness: Exactness,
    pub(in super::super) ends: &'static str,
    pub(in super::super) asks: Vec<Ask>,
    /// How many workers there are from the beginning.
    pub(in super::super) workers: usize,
    /// Whether an executor that outlived its worker is ended by the next one.
    pub(in super::super) ends_orphans: bool,
    /// The agents, read once.
    pub(in super::super) agents: Arc<OnceLock<Arc<Known>>>,
    /// Whether it takes no long waits, so that real processes can play it.
    pub(in super::super) is_quick: bool,
}

impl Scenario {
    pub(super) fn new(name: &'static str, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            name,
            mode: Mode::Plain,
            policy: json!({}),
            shape_agent: |_| {},
            shape: |_| {},
            turns: BTreeMap::from([(super::super::agents::HELPER, turns.into_iter().collect())]),
            does: BTreeMap::new(),
            people: BTreeMap::new(),
            work: Work::Done,
            doubt: Doubt::Looks,
            letters: Vec::new(),
            hook: None,
            recall: Recall::Remembers,
            exactness: Exactness::Everything,
            ends: "completed",
            asks: vec![Ask { run: "run-1", session: None, together: false }],
            workers: 1,
            ends_orphans: false,
            agents: Arc::default(),
            is_quick: true,
        }
    }

    /// A scenario whose model declares graphs.
    pub(super) fn graph(name: &'static str, turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { mode: Mode::Protocol, ..Self::new(name, turns) }
    }

    /// What the model says in a certain run, or as a certain agent.
    pub(super) fn turns(mut self, of: &'static str, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.turns.insert(of, turns.into_iter().collect());
        self
    }

    pub(super) fn asks_about(mut self, tools: &[&str], word: &str) -> Self {
        let tools: serde_json::Map<_, _> =
            tools.iter().map(|tool| ((*tool).to_owned(), word.into())).collect();
        self.policy = json!({ "agent_config": { "action_policy": { "tools": tools } } });
        self
    }

    pub(super) fn agent(self, shape_agent: fn(&mut AgentSpec)) -> Self {
        Self { shape_agent, ..self }
    }

    pub(super) fn spec(self, shape: fn(&mut RunSpec)) -> Self {
        Self { shape, ..self }
    }

    /// What a tool does, by the label of the call or its name.
    pub(super) fn does(mut self, what: &'static str, does: Does) -> Self {
        self.does.insert(what, does);
        self
    }

    /// How people decide, by the label of the call or the name of the tool.
    pub(super) fn person(mut self, about: &'static str, person: Person) -> Self {
        self.people.insert(about, person);
        self
    }

    pub(super) fn work(self, work: Work) -> Self {
        Self { work, ..self }
    }

    pub(super) fn doubt(self, doubt: Doubt) -> Self {
        Self { doubt, ..self }
    }

    pub(super) fn letter(mut self, when: When<'static>, signal: Signal) -> Self {
        self.letters.push(Letter { run: "run-1", when, signal });
        self
    }

    pub(super) fn hook(
        mut self,
        rule: impl Fn(Hook, u32, &str) -> HookAnswer + Send + Sync + 'static,
    ) -> Self {
        self.hook = Some(Arc::new(rule));
        self
    }

    pub(super) fn forgets(self) -> Self {
        Self { recall: Recall::Forgets, ..self }
    }

    /// Only the end counts.
    pub(super) fn loosely(self) -> Self {
        Self { exactness: Exactness::End, ..self }
    }

    pub(super) fn ends(self, ends: &'static str) -> Self {
        Self { ends, ..self }
    }

    pub(super) fn asks(self, asks: Vec<Ask>) -> Self {
        Self { asks, ..self }
    }

    pub(super) fn workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    pub(super) fn ends_orphans(self) -> Self {
        Self { ends_orphans: true, ..self }
    }

    /// Real processes do not play it: it waits for long, or depends on a race.
    pub(super) fn slow(self) -> Self {
        Self { is_quick: false, ..self }
    }
}

impl Scenario {
    /// Returns what the model says in a turn of a run.
    pub(in super::super) fn reply(&self, spec: &RunSpec, turn: u32, purpose: Purpose) -> ModelReply {
        if purpose != Purpose::Turn {
            return says("It was about beds.").reply();
        }
        let turns = self.turns.get(spec.run.as_str()).or_else(|| self.turns.get(spec.agent.as_str()));
        let place = usize::try_from(turn).unwrap_or_default().saturating_sub(1);
        match turns.and_then(|turns| turns.get(place)) {
            Some(turn) => turn.reply(),
            None if self.mode == Mode::Protocol => Turn::Answers("Done.").reply(),
            None => says("Done.").reply(),
        }
    }

    pub(in super::super) fn hook_answer(&self, hook: Hook, turn: u32, about: &str) -> HookAnswer {
        self.hook.as_ref().map_or(HookAnswer::NoOpinion, |rule| rule(hook, turn, about))
    }

    pub(in super::super) fn doing(&self, tool: &str, label: &str) -> Does {
        self.does.get(label).or_else(|| self.does.get(tool)).cloned().unwrap_or(Does::Works)
    }

    pub(in super::super) fn effect_of(&self, action: &ActionSpec) -> Effect {
        match (action.facts.only_reads(), action.facts.may_repeat()) {
            (true, _) => Effect::Read,
            (false, true) => Effect::Keyed,
            (false, false) => Effect::Once,
        }
    }

    /// Returns how people decide about a call.
    pub(in super::super) fn decides(&self, tool: &str, label: &str) -> Person {
        self.people.get(label).or_else(|| self.people.get(tool)).copied().unwrap_or(Person::Accept)
    }

    /// Returns what a run is asked to do.
    pub(in super::super) fn run_spec(&self, run: provost_engine::RunId) -> RunSpec {
        let mut spec = RunSpec {
            run,
            agent: super::super::agents::HELPER.to_owned(),
            compiled: provost_engine::Digest::ZERO,
            policy: provost_engine::Digest::ZERO,
            principal: Value::Null,
            workspace: "garden".to_owned(),
            mode: self.mode,
            model: ModelUse::Asked,
            input: Vec::new(),
            context: provost_contract::json::Object::new(),
            session: None,
            parent: None,
            forked: None,
            limits: Limits { turns: 12, ..Limits::default() },
            budgets: BTreeMap::new(),
            budgets_used: BTreeMap::new(),
            hooks: HookSet::default(),
            output_schema: None,
            labels: BTreeMap::new(),
        };
        (self.shape)(&mut spec);
        spec
    }
}
