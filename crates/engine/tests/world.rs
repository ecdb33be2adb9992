//! A run under test: what was given, what comes in, what follows from it and what is due then.
//!
//! `given(world).when(input).then([events]).due([effects])`, with events and effects in one short line each.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::into_object;
use provost_engine::event::*;
use provost_engine::{
    ActionId, Actor, ActorKind, Agent, AgentSpec, Args, ArtifactRef, Digest, Epoch, Event, Input,
    ModelAnswer, ModelFault, ModelResponse, Now, Payload, QueuedSignal, RunState, Seq, SignalId, Time, Usage,
    WaitId, due, react,
};
use serde_json::{Value, json};

use crate::line::{effect_line, event_line};

pub(crate) const RUN: &str = "run";

/// A run with its journal.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) state: RunState,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Now,
    signals: u64,
}

/// The tools that the agents of these tests have.
pub(crate) fn agent() -> Arc<Agent> {
    let tool = |name: &str, more: Value| {
        let mut tool = into_object(json!({
            "name": format!("test/{name}"), "source": "test", "description": name, "parameters": {},
        }));
        tool.extend(into_object(more));
        Value::Object(tool)
    };
    let tools = json!({ "accepted": [
        tool("read", json!({ "side_effects": ["read"] })),
        tool("write", json!({ "side_effects": ["write"] })),
        tool("keyed", json!({ "side_effects": ["write"], "idempotency": "keyed" })),
        tool("ask", json!({ "side_effects": ["write"], "action_policy": "preview" })),
        tool("deny", json!({ "side_effects": ["write"], "action_policy": "forbidden" })),
    ], "rejected": [] });
    let spec = AgentSpec { name: "agent".into(), tools, ..AgentSpec::default() };
    let agent = Agent::new(spec).unwrap();
    assert!(["read", "write", "keyed", "ask", "deny"].iter().all(|tool| agent.has(&format!("test/{tool}"))));
    Arc::new(agent)
}

pub(crate) fn run_spec(mode: Mode) -> RunSpec {
    RunSpec {
        run: RUN.parse().unwrap(),
        agent: "agent".into(),
        compiled: Digest::of(b"agent"),
        policy: Digest::of(b"policy"),
        principal: json!({ "acting_user_id": 1 }),
        workspace: "workspace:1".into(),
        mode,
        model: ModelUse::Asked,
        input: vec![Arc::new(Message::text("user", "Do it."))],
        context: serde_json::Map::new(),
        session: None,
        parent: None,
        forked: None,
        limits: Limits::default(),
        budgets: [("turns".to_owned(), 10)].into(),
        budgets_used: [].into(),
        hooks: HookSet::default(),
        output_schema: None,
        labels: [].into(),
    }
}

pub(crate) fn person() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("cli")
}

pub(crate) fn id(text: &str) -> ActionId {
    text.parse().unwrap()
}

impl World {
    /// An accepted run.
    pub(crate) fn new(spec: RunSpec) -> Self {
        let now = Now { wall: Time(1_000), ..Now::default() };
        let accepted = RunAccepted { spec: Arc::new(spec) };
        let event = Event {
            seq: Seq(1),
            at: now.wall,
            epoch: Epoch(0),
            actor: person(),
            kind: accepted.into(),
            erased: false,
        };
        let state = RunState::begin(agent(), Vec::new(), &event).unwrap();
        Self { state, events: vec![event], now, signals: 0 }
    }

    /// A run that carries out one declaration and asks no model.
    pub(crate) fn executes(limits: Limits, add: Vec<Step>) -> Self {
        let spec = RunSpec { model: ModelUse::None, limits, budgets: [].into(), ..run_spec(Mode::Protocol) };
        let mut world = Self::new(spec);
        let declaration = Declaration { intent: "act".into(), add, ..Declaration::default() };
        let event = Event {
            seq: Seq(2),
            at: world.now.wall,
            epoch: Epoch(0),
            actor: person(),
            kind: declaration.accepted(1, Origin::Submitted).into(),
            erased: false,
        };
        world.state.apply(&event).unwrap();
        world.events.push(event);
        world
    }

    pub(crate) fn plain() -> Self {
        Self::new(run_spec(Mode::Plain)).claimed()
    }

    pub(crate) fn protocol() -> Self {
        Self::new(run_spec(Mode::Protocol)).claimed()
    }

    pub(crate) fn with_hooks(mode: Mode, hooks: HookSet) -> Self {
        Self::new(RunSpec { hooks, ..run_spec(mode) }).claimed()
    }

    /// Feeds inputs, and checks that the fold of the journal is the live state.
    pub(crate) fn feed(&mut self, inputs: Vec<Input>) -> Vec<Event> {
        let events = react(&mut self.state, &self.now, inputs).unwrap();
        self.events.extend(events.iter().cloned());
        let folded = RunState::fold(self.state.agent.clone(), Vec::new(), &self.events).unwrap();
        assert!(folded == self.state, "the fold of the journal is not the live state");
        events
    }

    pub(crate) fn after(mut self, input: Input) -> Self {
        self.feed(vec![input]);
        self
    }

    pub(crate) fn claim(&self) -> Input {
        Input::Claimed {
            epoch: Epoch(self.state.epoch.0 + 1),
            worker: "worker".parse().unwrap(),
            compiled: Digest::of(b"agent"),
            policy: self.state.policy,
            standing: Vec::new(),
        }
    }

    pub(crate) fn claimed(self) -> Self {
        let claim = self.claim();
        self.after(claim)
    }

    /// The open model call answers.
    pub(crate) fn answer(&self, answer: ModelAnswer) -> Input {
        Input::Model { request: self.state.model.requests, answer }
    }

    pub(crate) fn responds(&self, response: ModelResponse) -> Input {
        self.answer(ModelAnswer::Responded(Box::new(response)))
    }

    pub(crate) fn says(&self, text: &str) -> Input {
        let messages = vec![Arc::new(Message::text("assistant", text))];
        let declaration = self.state.is_protocol().then(|| {
            let answer = Some(Payload::inline(text));
            Parsed::Declared(Box::new(Declaration {
                intent: "answer".into(),
                answer,
                ..Declaration::default()
            }))
        });
        self.responds(ModelResponse { messages, declaration, ..ModelResponse::default() })
    }

    pub(crate) fn fails(&self, retry_in_ms: Option<u64>) -> Input {
        let fault = ModelFault::new("overloaded", "The provider is overloaded.");
        self.answer(ModelAnswer::Failed(Box::new(ModelFault { retry_in_ms, ..fault })))
    }

    /// The model makes native calls of these tools.
    pub(crate) fn calls(&self, tools: &[&str]) -> Input {
        let call = |(index, tool): (usize, &&str)| {
            let args = Args::open(into_object(json!({ "n": index, "turn": self.state.turn_number() })));
            Arc::new(Call {
                label: format!("call_{index}"),
                name: format!("test/{tool}"),
                called: None,
                args,
                unprepared: None,
            })
        };
        let calls = tools.iter().enumerate().map(call).collect();
        self.responds(ModelResponse { calls, ..ModelResponse::default() })
    }

    /// The model declares a graph.
    pub(crate) fn declares(&self, declaration: Declaration) -> Input {
        let declaration = Some(Parsed::Declared(Box::new(declaration)));
        self.responds(ModelResponse { declaration, ..ModelResponse::default() })
    }

    pub(crate) fn acts(&self, add: Vec<Step>) -> Input {
        self.declares(Declaration { intent: "act".into(), add, ..Declaration::default() })
    }

    /// An open attempt ends.
    pub(crate) fn ends(&self, action: &str, outcome: Outcome) -> Input {
        let action = id(action);
        let attempt = self.state.action(action).map_or(0, |action| action.attempt);
        Input::Outcome { action, attempt, outcome, usage: Usage::default() }
    }

    pub(crate) fn recovers(&self, action: &str, gone: bool, probe: Probe) -> Input {
        let action = id(action);
        let attempt = self.state.action(action).map_or(0, |action| action.attempt);
        let result = (probe == Probe::Done).then(|| Payload::inline(json!({ "success": true })));
        Input::Recovered { action, attempt, gone, probe, result }
    }

    pub(crate) fn signal(&mut self, body: Signal) -> Input {
        self.signal_by(person(), body)
    }

    pub(crate) fn signal_by(&mut self, from: Actor, body: Signal) -> Input {
        self.signals += 1;
        Input::Signals(vec![QueuedSignal { id: SignalId(self.signals), from, body }])
    }

    pub(crate) fn signalled(mut self, body: Signal) -> Self {
        let input = self.signal(body);
        self.after(input)
    }

    /// The wait with a number is answered.
    pub(crate) fn reply(&mut self, number: u32, answer: Answer) -> Input {
        let wait = WaitId { run: RUN.parse().unwrap(), number };
        let by = if answer == Answer::Expired { Actor::clock() } else { person() };
        self.signal_by(by, Signal::Answer { wait, answer })
    }

    pub(crate) fn later(mut self, ms: u64) -> Self {
        self.now.wall = self.now.wall.plus_ms(ms);
        self
    }

    /// What is due now, in short lines.
    pub(crate) fn due(&self) -> Vec<String> {
        due(&self.state, &self.now).iter().map(effect_line).collect()
    }
}

pub(crate) fn message(mode: MessageMode, leaves_doubt: bool) -> Signal {
    Signal::Message { message: Arc::new(Message::text("user", "Wait.")), mode, leaves_doubt }
}

pub(crate) fn cancel() -> Signal {
    Signal::Cancel { actions: None, reason: String::new() }
}

pub(crate) fn done() -> Outcome {
    let result = Payload::inline(json!({ "success": true, "result": 1 }));
    Outcome::Completed { result, goal: true, satisfying: true }
}

pub(crate) fn failed() -> Outcome {
    let fault = provost_engine::Fault::new("broken", "It broke.");
    Outcome::Failed { fault, result: Payload::default() }
}

pub(crate) fn proposed(rulings: &[provost_engine::Verdict]) -> Outcome {
    let paths = rulings.iter().enumerate().map(|(index, decision)| ChangedPath {
        path: format!("file{index}"),
        ruling: provost_engine::Ruling::new(*decision, "rule", "policy"),
    });
    let artifact = ArtifactRef {
        digest: Digest::of(b"set"),
        size: 3,
        media: "application/x-changes".into(),
        excerpt: Value::Null,
        truncated: None,
    };
    let (digest, base) = (Digest::of(b"changes"), Digest::of(b"base"));
    Outcome::Proposed { change_set: ChangeSet { artifact, digest, base, paths: paths.collect() } }
}

pub(crate) fn verdicts(action: &str, decision: Decision, binding: Digest) -> Answer {
    let verdicts = [(id(action), decision)].into();
    Answer::Verdicts { verdicts, remember: None, binding, reason: String::new() }
}

pub(crate) fn result(status: ActionEnd) -> Answer {
    let (satisfying, effect) = (status == ActionEnd::Completed, provost_engine::WorldEffect::None);
    let payload = Payload::inline(json!({ "success": satisfying }));
    Answer::Result { payload, status, satisfying, effect, usage: Usage::default() }
}

/// An action of a graph. Its operation is a tool of the agent, or a word of its own.
pub(crate) fn step(operation: &str, kind: ExecutorKind, facts: Value) -> Step {
    let mut spec = ActionSpec::new(ActionId { declaration: 0, index: 0 }, operation, kind);
    spec.facts = serde_json::from_value(facts).unwrap();
    Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() }
}

pub(crate) fn writes() -> Value {
    json!({ "effects": ["write"] })
}

pub(crate) fn reads() -> Value {
    json!({ "effects": ["read"] })
}

pub(crate) fn transactional() -> Value {
    json!({ "effects": ["write"], "idempotency": "transactional" })
}

/// One row: given, when, then, due.
pub(crate) struct Row {
    world: World,
    events: Vec<String>,
}

pub(crate) fn given(world: World) -> World {
    world
}

impl World {
    pub(crate) fn when(mut self, input: impl Into<Vec<Input>>) -> Row {
        let events = self.feed(input.into()).iter().map(event_line).collect();
        Row { world: self, events }
    }
}

impl Row {
    #[track_caller]
    pub(crate) fn then<const N: usize>(self, events: [&str; N]) -> Self {
        assert_eq!(self.events, events);
        self
    }

    /// Checks what is due, and goes on with the run.
    #[track_caller]
    pub(crate) fn due<const N: usize>(self, effects: [&str; N]) -> World {
        assert_eq!(self.world.due(), effects);
        self.world
    }
}
