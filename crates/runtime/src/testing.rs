//! A process for tests: a store, a worker, doors, and a script in place of models and tools.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails panics"
)]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use crate::actor::{
    Agents, DeltaSink, Found, HandedIn, HookCall, LostAttempt, ModelCall, ModelReply, NewChild, Performer,
    Previewed, RunContext, SealKey, Shared, Work,
};
use crate::dispatch::{
    Dispatcher, DispatcherConfig, Doors, EventHub, NewRunRequest, RunEvents, Scope, Sessions,
};
use crate::host::{Host, Runs, Start};
use crate::port::{Boxed, Clock};
use crate::store::memory::MemoryStore;
use crate::store::{ClaimFilter, Store};
use crate::system::TokioClock;
use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolCatalog;
use provost_engine::event::{
    ActionSpec, Call, EndStatus, EventKind, Hook, HookAnswer, HookSet, Limits, Mode, ModelUse, Outcome,
    Probe, RunSpec, WaitOpened,
};
use provost_engine::state::Transcript;
use provost_engine::view::ChildOrder;
use provost_engine::{
    Actor, ActorKind, Agent, AgentSpec, Args, Digest, Fault, ModelAnswer, ModelFault, ModelResponse, Payload,
    RunId, Seq, Usage, WorkerId,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// A clock whose time is paused with tokio's.
pub fn clock() -> Arc<dyn Clock> {
    Arc::new(TokioClock::starting_at(1_000_000))
}

/// A run of a host over a store in RAM, which rests or is over.
pub struct HostRun {
    pub runs: Runs,
    pub run: RunId,
    /// The result record.
    pub result: Value,
}

impl HostRun {
    /// Starts a run with a caller's options and waits until it rests or is over.
    pub async fn new(host: Host, messages: &[Value], options: &Value) -> Self {
        Self::on(Arc::new(MemoryStore::new(host.clock.clone())), host, messages, options).await
    }

    /// The same over a store.
    pub async fn on(store: Arc<dyn Store>, host: Host, messages: &[Value], options: &Value) -> Self {
        let (runs, run) = Self::begin(store, host, messages, options).await;
        let result = Self::rest(&runs, &run).await;
        Self { runs, run, result }
    }

    /// Starts a run with a caller's options.
    pub async fn begin(
        store: Arc<dyn Store>,
        host: Host,
        messages: &[Value],
        options: &Value,
    ) -> (Runs, RunId) {
        let run: RunId = "run_host".parse().unwrap();
        let start = Start::read(messages, options.as_object().unwrap(), &host, (run.clone(), &[])).unwrap();
        let runs = Self::worker(store, host, "worker").await;
        runs.begin(start.request(Actor::runtime()).unwrap(), start.context).await.unwrap();
        (runs, run)
    }

    /// Starts a worker that takes the runs it is asked for.
    pub async fn worker(store: Arc<dyn Store>, host: Host, name: &str) -> Runs {
        let config = DispatcherConfig::new(name.parse().unwrap(), Scope::Asked);
        Runs::start(store, host, config, (None, None)).await.unwrap()
    }

    /// Waits until a run rests or is over, and returns its result record.
    pub async fn rest(runs: &Runs, run: &RunId) -> Value {
        runs.settled(run).await.unwrap();
        let read = runs.read(run).await.unwrap();
        provost_engine::view::conversation_result(&read.agent, &read.history, &read.events).unwrap()
    }
}

/// One reply of the model.
#[derive(Clone)]
pub enum Reply {
    Text(&'static str),
    Calls(Vec<(&'static str, Value)>),
    Fails { retry: bool },
}

/// What a tool does.
#[derive(Clone)]
pub enum Does {
    Succeeds,

    Panics,
    /// It says that it began, and ends when the gate opens.
    Waits(Arc<Notify>),
    Never,
}

#[derive(Default)]
pub struct Script {
    pub replies: Mutex<VecDeque<Reply>>,
    pub tools: Mutex<HashMap<String, Does>>,
    pub hooks: Mutex<HashMap<Hook, HookAnswer>>,
    /// Hooks that answer only when the gate opens.
    pub slow_hooks: Mutex<HashMap<Hook, Arc<Notify>>>,
    pub found: Mutex<Found>,
    /// The tools that were executed, in order, with the hash of the key.
    pub executed: Mutex<Vec<(String, Digest)>>,
    /// The arguments that they got, in order.
    pub given: Mutex<Vec<Object>>,
    pub shown: Mutex<Vec<usize>>,
    /// How many bytes of messages each model call read.
    pub bytes_shown: Mutex<Vec<usize>>,
    pub began: Notify,
}

impl Script {
    pub fn executed(&self) -> Vec<String> {
        self.executed.lock().unwrap().iter().map(|(tool, _)| tool.clone()).collect()
    }
}

struct Edge {
    script: Arc<Script>,
    agents: Arc<Known>,
}

impl Performer for Edge {
    fn reserve(&self, _: &RunContext, _: &Transcript) -> Usage {
        Usage::of("tokens", 10)
    }

    fn model(&self, call: ModelCall) -> Boxed<'_, ModelReply> {
        self.script.shown.lock().unwrap().push(call.transcript.len());
        let bytes = call.transcript.messages().map(|message| message.to_value().to_string().len()).sum();
        self.script.bytes_shown.lock().unwrap().push(bytes);
        let reply = self.script.replies.lock().unwrap().pop_front();
        Box::pin(async move { reply_of(reply.unwrap_or(Reply::Text("done"))) })
    }

    fn hook(&self, call: HookCall) -> Boxed<'_, HookAnswer> {
        let gate = self.script.slow_hooks.lock().unwrap().get(&call.hook).cloned();
        let answer = self.script.hooks.lock().unwrap().get(&call.hook).cloned();
        Box::pin(async move {
            if let Some(gate) = gate {
                gate.notified().await;
            }
            answer.unwrap_or(HookAnswer::NoOpinion)
        })
    }

    fn preview(&self, work: Work) -> Boxed<'_, Previewed> {
        Box::pin(async move {
            Previewed { preview: Ok(Payload::inline(json!({ "would": work.raw }))), expect: Vec::new() }
        })
    }

    fn execute(&self, work: Work) -> Boxed<'_, (Outcome, Usage)> {
        let tool = work.spec.operation.clone();
        let does = self.script.tools.lock().unwrap().get(&tool).cloned().unwrap_or(Does::Succeeds);
        Box::pin(async move {
            self.script.executed.lock().unwrap().push((tool.clone(), work.execute.key));
            self.script.given.lock().unwrap().push(work.raw.clone());
            self.script.began.notify_one();
            match does {
                Does::Succeeds => {}
                Does::Panics => panic!("a tool that panics"),
                Does::Waits(gate) => gate.notified().await,
                Does::Never => std::future::pending().await,
            }
            let result = json!({ "success": true, "tool_name": tool, "result": work.raw });
            (
                Outcome::Completed { result: Payload::inline(result), goal: true, satisfying: true },
                Usage::default(),
            )
        })
    }

    fn recover(&self, _: LostAttempt) -> Boxed<'_, Found> {
        let found = self.script.found.lock().unwrap().clone();
        Box::pin(async move { found })
    }

    fn child(
        &self,
        context: &RunContext,
        order: &ChildOrder,
        action: &ActionSpec,
    ) -> Result<NewChild, Fault> {
        let agent =
            self.agents.today(&order.agent).ok_or_else(|| Fault::new("no_agent", "There is none."))?;
        let mut spec = (*context.spec).clone();
        spec.run = order.run.clone();
        spec.agent = order.agent.clone();
        spec.compiled = agent.digest;
        spec.session = None;
        spec.parent = Some(order.assignment.clone());
        spec.input = vec![Arc::new(Message::text("user", action.prompt.as_deref().unwrap_or_default()))];
        let new = provost_engine::NewRun {
            run: order.run.clone(),
            root: order.assignment.root.clone(),
            parent: Some(order.assignment.run.clone()),
            workspace: spec.workspace.clone(),
            agent: spec.agent.clone(),
            agent_digest: agent.digest,
            queue: String::new(),
            priority: 0,
            not_before: None,
            records: Vec::new(),
            summary: Value::Null,
            session: None,
            dedupe: None,
            artifacts: Vec::new(),
        };
        Ok(NewChild { new, spec })
    }
}

fn reply_of(reply: Reply) -> ModelReply {
    let usage = Some(Usage::of("tokens", 7));
    match reply {
        Reply::Text(text) => {
            let messages = vec![Arc::new(Message::text("assistant", text))];
            let response = ModelResponse { messages, usage, ..ModelResponse::default() };
            ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw: Vec::new() }
        }
        Reply::Calls(calls) => {
            let raw: Vec<Object> = calls.iter().map(|(_, args)| args.as_object().unwrap().clone()).collect();
            let call = |(index, (tool, _)): (usize, &(&str, Value))| {
                let shown: Object = raw[index]
                    .iter()
                    .map(|(key, value)| match key.as_str() {
                        "password" => (key.clone(), "[redacted]".into()),
                        _ => (key.clone(), value.clone()),
                    })
                    .collect();
                Arc::new(Call {
                    label: format!("call_{index}"),
                    name: (*tool).to_owned(),
                    called: None,
                    args: Args::redacted(&raw[index], shown),
                    unprepared: None,
                })
            };
            let calls = calls.iter().enumerate().map(call).collect();
            let response = ModelResponse { calls, usage, ..ModelResponse::default() };
            ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw }
        }
        Reply::Fails { retry } => {
            let fault = ModelFault::new("overloaded", "The provider is overloaded.");
            let fault = ModelFault { retry_in_ms: retry.then_some(100), ..fault };
            ModelReply { answer: ModelAnswer::Failed(Box::new(fault)), raw: Vec::new() }
        }
    }
}

/// The agents of the process.
#[derive(Default)]
pub struct Known {
    today: Mutex<BTreeMap<String, Arc<Agent>>>,
}

impl Known {
    pub fn set(&self, name: &str, agent: Arc<Agent>) {
        self.today.lock().unwrap().insert(name.to_owned(), agent);
    }
}

impl Agents for Known {
    fn compiled(&self, _: Digest) -> Option<Arc<Agent>> {
        // Always from the store: what a run obeys is what was stored with it.
        None
    }

    fn today(&self, name: &str) -> Option<Arc<Agent>> {
        self.today.lock().unwrap().get(name).cloned()
    }
}

pub fn agent(policy: Value) -> Arc<Agent> {
    let tool = |name: &str, more: Value| {
        let mut tool = json!({
            "name": name, "source": name.split('/').next().unwrap(), "description": name,
            "parameters": { "type": "object", "properties": {} },
        });
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    };
    let tools = json!([
        tool("kb/read", json!({ "side_effects": ["read"] })),
        tool("kb/look", json!({ "side_effects": ["read"] })),
        tool("kb/write", json!({ "side_effects": ["write"] })),
        tool("kb/send", json!({ "side_effects": ["send"] })),
        tool("kb/put", json!({ "side_effects": ["write"], "idempotency": "keyed" })),
    ]);
    let spec = AgentSpec {
        name: "helper".into(),
        tools: ToolCatalog::read(&tools).to_value(),
        policy: policy.as_object().unwrap().clone(),
        ..AgentSpec::default()
    };
    let agent = Agent::new(spec).unwrap();
    assert!(agent.has("kb/write"), "{:?}", agent.catalog.rejected());
    Arc::new(agent)
}

pub struct Process {
    pub dispatcher: Dispatcher,
    pub doors: Doors,
    pub sessions: Sessions,
    pub hub: EventHub,
    pub script: Arc<Script>,
    pub known: Arc<Known>,
    pub store: Arc<dyn Store>,
}

impl Process {
    /// A process with a store of its own.
    pub async fn start(policy: Value) -> Self {
        let clock = clock();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new(clock.clone()));
        Self::over(store, clock, "worker-1", policy).await
    }

    /// Another process over the same store.
    pub async fn over(store: Arc<dyn Store>, clock: Arc<dyn Clock>, worker: &str, policy: Value) -> Self {
        let (script, known) = (Arc::new(Script::default()), Arc::new(Known::default()));
        known.set("helper", agent(policy));
        let hub = EventHub::start(store.clone());
        let deltas: Arc<dyn DeltaSink> = Arc::new(hub.clone());
        let performer = Arc::new(Edge { script: script.clone(), agents: known.clone() });
        let shared = Arc::new(Shared {
            store: store.clone(),
            performer,
            agents: known.clone(),
            clock,
            deltas,
            seal: Some(SealKey::from_bytes(&[7; 32]).unwrap()),
            anchor: None,
            handed_in: HandedIn::default(),
        });
        let worker: WorkerId = worker.parse().unwrap();
        let config = DispatcherConfig::new(worker, Scope::All(ClaimFilter::default()));
        let dispatcher = Dispatcher::start(shared.clone(), config).await.unwrap();
        Self {
            dispatcher,
            doors: Doors::new(shared.clone()),
            sessions: Sessions::new(shared),
            hub,
            script,
            known,
            store,
        }
    }

    pub fn replies(&self, replies: impl IntoIterator<Item = Reply>) {
        self.script.replies.lock().unwrap().extend(replies);
    }

    pub fn tool(&self, name: &str, does: Does) {
        self.script.tools.lock().unwrap().insert(name.to_owned(), does);
    }

    pub fn spec(&self, run: &str) -> RunSpec {
        RunSpec {
            run: run.parse().unwrap(),
            agent: "helper".into(),
            compiled: Digest::ZERO,
            policy: self.known.today("helper").unwrap().digest,
            principal: Value::Null,
            workspace: "w".into(),
            mode: Mode::Plain,
            model: ModelUse::Asked,
            input: vec![Arc::new(Message::text("user", "go"))],
            context: Object::new(),
            session: None,
            parent: None,
            forked: None,
            limits: Limits::default(),
            budgets: BTreeMap::new(),
            budgets_used: BTreeMap::new(),
            hooks: HookSet::default(),
            output_schema: None,
            labels: BTreeMap::new(),
        }
    }

    pub fn request(&self, spec: RunSpec) -> NewRunRequest {
        NewRunRequest::new(spec, self.known.today("helper").unwrap(), ada())
    }

    /// Starts a run and follows it.
    pub async fn begin(&self, run: &str) -> RunEvents {
        self.begin_with(self.spec(run)).await
    }

    pub async fn begin_with(&self, spec: RunSpec) -> RunEvents {
        let run = spec.run.clone();
        self.doors.accept(self.request(spec)).await.unwrap();
        self.hub.follow(&run, Seq(0))
    }

    pub async fn status(&self, run: &str) -> String {
        let run: RunId = run.parse().unwrap();
        self.store.run(run).await.unwrap().unwrap().row.status
    }
}

pub fn ada() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("test")
}

/// Waits for the end of a run.
pub async fn end(events: &mut RunEvents) -> EndStatus {
    loop {
        let event = events.next_event().await.expect("the run ends");
        if let EventKind::RunEnded(ended) = event.event.kind {
            return ended.status;
        }
    }
}

/// Waits for the next wait of a run.
pub async fn wait(events: &mut RunEvents) -> WaitOpened {
    loop {
        let event = events.next_event().await.expect("the run waits");
        if let EventKind::WaitOpened(opened) = event.event.kind {
            return *opened;
        }
    }
}

/// Waits for an event of a kind.
pub async fn until(events: &mut RunEvents, kind: &str) -> EventKind {
    loop {
        let event = events.next_event().await.expect("it happens");
        if event.event.kind.name() == kind {
            return event.event.kind;
        }
    }
}

pub fn gone() -> Found {
    Found { gone: true, probe: Probe::Unknown, result: None }
}
