//! What a worker does to the world: a scripted model, hooks that answer by rule, tools whose effects are
//! counted and stay when the worker dies.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_engine::event::{
    ActionSpec, ChangeSet, ChangedPath, Hook, HookAnswer, Note, Outcome, Phase, Probe, Subject as About,
};
use provost_engine::state::Transcript;
use provost_engine::view::ChildOrder;
use provost_engine::{Args, ArtifactRef, Digest, Fault, NewRun, Payload, Ruling, RunId, Usage};
use provost_runtime::actor::{
    Agents as _, Found, HookCall, LostAttempt, ModelCall, ModelReply, NewChild, Performer, Previewed,
    RunContext, Subject, Work,
};
use provost_runtime::port::Boxed;
use provost_runtime::store::Store as _;
use serde_json::{Value, json};

use super::agents::Known;
use super::fate::{Health, Kind, Life, Place};
use super::ledger::Entry;
use super::mortal::MortalStore;
use super::people::post;
use super::scenario::{Does, Effect, Recall, When};
use super::world::{World, lock};

/// How long an executor that outlives its worker takes.
const GROWS: Duration = Duration::from_secs(3);

/// The performer of one worker.
pub(super) struct Actor {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
    pub(super) agents: Arc<Known>,
    pub(super) store: Arc<MortalStore>,
    /// Work that goes on after the worker.
    pub(super) outside: Arc<tokio::sync::Mutex<tokio::task::JoinSet<()>>>,
}

impl Actor {
    async fn pass(&self, place: Place) {
        let _ = self.life.pass(place).await;
    }

    async fn respond(&self, call: ModelCall) -> ModelReply {
        self.pass(Place::Start(Kind::Model)).await;
        let (run, turn) = (call.context.spec.run.as_str().to_owned(), call.context.turn);
        self.world.ledger.note(Entry::Asked { run, turn });
        post(&self.world, When::Model(turn)).await;
        let reply = self.world.scenario.reply(&call.context.spec, turn, call.purpose);
        self.pass(Place::Answer(Kind::Model)).await;
        reply
    }

    async fn answer(&self, call: HookCall) -> HookAnswer {
        self.pass(Place::Start(Kind::Hook)).await;
        if let (Hook::Resolve, Subject::Action(action)) = (call.hook, &call.subject) {
            let args = Args::open(action.raw.clone().unwrap_or_default());
            self.pass(Place::Answer(Kind::Hook)).await;
            return HookAnswer::Resolved { args, items: Vec::new() };
        }
        let (turn, about) = (call.context.turn, label(&call));
        let answer = self.world.scenario.hook_answer(call.hook, turn, &about);
        self.pass(Place::Answer(Kind::Hook)).await;
        answer
    }

    async fn carry_out(&self, work: Work) -> (Outcome, Usage) {
        let run = work.context.spec.run.as_str().to_owned();
        let execute = &work.execute;
        self.world.ledger.note(Entry::Called {
            run,
            action: execute.action.to_string(),
            attempt: execute.attempt,
            applies: execute.phase == Phase::Apply,
        });
        if self.life.health() == Health::Asleep {
            // A worker that fell asleep between the check of its lease and the effect cannot be held back.
            return std::future::pending().await;
        }
        self.pass(Place::Start(Kind::Execute)).await;
        post(&self.world, When::During(&work.spec.label)).await;
        let outcome = match execute.phase {
            Phase::Apply => self.apply(&work).await,
            Phase::Run => self.run(&work).await,
        };
        self.pass(Place::Answer(Kind::Execute)).await;
        (outcome, Usage::default())
    }

    async fn run(&self, work: &Work) -> Outcome {
        let scenario = self.world.scenario.clone();
        let (tool, label) = (work.spec.operation.as_str(), work.spec.label.as_str());
        match scenario.doing(tool, label) {
            Does::Hangs => std::future::pending().await,
            Does::Fails => failed(tool),
            Does::FailsFirst if work.execute.attempt == 1 => failed(tool),
            Does::Proposes(paths) => self.propose(work, paths).await,
            Does::AsksForInput if work.execute.input.is_none() => Outcome::InputRequired {
                request: Payload::inline("Which bed?"),
                state: Payload::inline("half way"),
            },
            Does::Outlives => {
                if !self.grow(work).await {
                    return Outcome::Stopped;
                }
                completed(tool, label)
            }
            Does::Works | Does::FailsFirst | Does::AsksForInput => {
                self.effect(work, tool, &work.execute.key.hex());
                completed(tool, label)
            }
        }
    }

    fn effect(&self, work: &Work, tool: &str, key: &str) {
        let takes_effect = match self.world.scenario.effect_of(&work.spec) {
            Effect::Read => false,
            Effect::Keyed => !self.world.ledger.has_key(key),
            Effect::Once => true,
        };
        if takes_effect {
            self.world.ledger.note(effect(&work.context.spec.run, work, tool, key));
        }
    }

    /// Starts a process of its own, notes it, and waits for it. It goes on when the worker dies.
    async fn grow(&self, work: &Work) -> bool {
        let key = work.execute.key.hex();
        let process = Note::Process { host: "here".into(), pid: 7, start: 7, handle: key.clone() };
        if !work.notes.note(process).await {
            return false;
        }
        self.life.alive().await;
        lock(&self.world.orphans).insert(key.clone());
        let (world, entry) =
            (self.world.clone(), effect(&work.context.spec.run, work, &work.spec.operation, &key));
        self.outside.lock().await.spawn(async move {
            tokio::time::sleep(GROWS).await;
            // A process that was ended in the meantime does nothing.
            if lock(&world.orphans).remove(&key) && !world.ledger.has_key(&key) {
                world.ledger.note(entry);
            }
        });
        tokio::time::sleep(GROWS + Duration::from_millis(1)).await;
        self.life.alive().await;
        true
    }

    /// Makes a change set and shows it; nothing is real yet.
    async fn propose(&self, work: &Work, paths: &[(&str, provost_engine::Verdict)]) -> Outcome {
        let text = format!("{} {:?}", work.spec.label, paths);
        let stored = loop {
            match self.store.put_artifact("text/x-changes".into(), text.clone().into_bytes()).await {
                Ok(stored) => break stored,
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        };
        let artifact = ArtifactRef {
            digest: stored.digest,
            size: stored.size,
            media: stored.media,
            excerpt: Value::Null,
            truncated: None,
        };
        let changed = |(path, verdict): &(&str, _)| ChangedPath {
            path: (*path).to_owned(),
            ruling: Ruling::new(*verdict, "path", "scenario"),
        };
        let paths = paths.iter().map(changed).collect();
        let (digest, base) = (Digest::of(text.as_bytes()), Digest::of(b"base"));
        Outcome::Proposed { change_set: ChangeSet { artifact, digest, base, paths } }
    }

    /// Makes a change set real, path by path. A path that is there under the key stays as it is.
    async fn apply(&self, work: &Work) -> Outcome {
        let scenario = self.world.scenario.clone();
        let Does::Proposes(paths) = scenario.doing(&work.spec.operation, &work.spec.label) else {
            return failed(&work.spec.operation);
        };
        for (path, _) in paths.iter() {
            let key = format!("{} {path}", work.execute.key.hex());
            if !self.world.ledger.has_key(&key) {
                self.world.ledger.note(effect(&work.context.spec.run, work, path, &key));
            }
            post(&self.world, When::Midway).await;
            self.pass(Place::Midway).await;
        }
        completed(&work.spec.operation, &work.spec.label)
    }

    async fn look(&self, lost: LostAttempt) -> Found {
        self.pass(Place::Start(Kind::Recover)).await;
        let key = lost.key.hex();
        let mut gone = lost.worker_gone;
        if lost.process.is_some() {
            let ends = self.world.scenario.ends_orphans;
            let mut orphans = lock(&self.world.orphans);
            gone = if ends { orphans.remove(&key) || gone } else { gone && !orphans.contains(&key) };
        }
        let knows = self.world.scenario.recall == Recall::Remembers
            && lost.phase == Phase::Run
            && self.world.scenario.effect_of(&lost.spec) != Effect::Read;
        let (probe, result) = match (knows, self.world.ledger.has_key(&key)) {
            (false, _) => (Probe::Unknown, None),
            (true, false) => (Probe::NotDone, None),
            (true, true) => (Probe::Done, Some(result(&lost.spec.operation, &lost.spec.label))),
        };
        self.pass(Place::Answer(Kind::Recover)).await;
        Found { gone, probe, result }
    }
}

fn effect(run: &RunId, work: &Work, tool: &str, key: &str) -> Entry {
    Entry::Effect {
        tool: tool.to_owned(),
        key: key.to_owned(),
        run: run.as_str().to_owned(),
        action: work.execute.action.to_string(),
    }
}

fn label(call: &HookCall) -> String {
    match (&call.subject, call.about) {
        (provost_runtime::actor::Subject::Action(view), _) => view.spec.label.clone(),
        (_, About::Turn { turn }) => turn.to_string(),
        _ => String::new(),
    }
}

fn failed(tool: &str) -> Outcome {
    let result = json!({ "success": false, "tool_name": tool, "error": "It broke." });
    Outcome::Failed { fault: Fault::new("broken", "It broke."), result: Payload::inline(result) }
}

fn result(tool: &str, label: &str) -> Payload {
    let found = match tool {
        "garden/look" => json!({ "call": label, "beds": ["north", "south", "east"] }),
        _ => json!({ "call": label }),
    };
    Payload::inline(json!({ "success": true, "tool_name": tool, "result": found }))
}

fn completed(tool: &str, label: &str) -> Outcome {
    Outcome::Completed { result: result(tool, label), goal: true, satisfying: true }
}

impl Performer for Actor {
    fn reserve(&self, _: &RunContext, _: &Transcript) -> Usage {
        Usage::of("tokens", 10)
    }

    fn model(&self, call: ModelCall) -> Boxed<'_, ModelReply> {
        Box::pin(self.respond(call))
    }

    fn hook(&self, call: HookCall) -> Boxed<'_, HookAnswer> {
        Box::pin(self.answer(call))
    }

    fn preview(&self, work: Work) -> Boxed<'_, Previewed> {
        Box::pin(async move {
            self.pass(Place::Start(Kind::Preview)).await;
            let preview = Payload::inline(json!({ "would": work.spec.label }));
            self.pass(Place::Answer(Kind::Preview)).await;
            Previewed { preview: Ok(preview), expect: vec![Digest::of(b"file")] }
        })
    }

    fn execute(&self, work: Work) -> Boxed<'_, (Outcome, Usage)> {
        Box::pin(self.carry_out(work))
    }

    fn recover(&self, lost: LostAttempt) -> Boxed<'_, Found> {
        Box::pin(self.look(lost))
    }

    fn child(
        &self,
        context: &RunContext,
        order: &ChildOrder,
        action: &ActionSpec,
    ) -> Result<NewChild, Fault> {
        let missing = || Fault::new("no_agent", "There is no such agent.");
        let agent = self.agents.today(&order.agent).ok_or_else(missing)?;
        let mut spec = (*context.spec).clone();
        spec.run = order.run.clone();
        spec.agent.clone_from(&order.agent);
        spec.compiled = agent.digest;
        spec.policy = agent.digest;
        spec.session = None;
        spec.parent = Some(order.assignment.clone());
        spec.context = Object::new();
        spec.input = vec![Arc::new(Message::text("user", action.prompt.as_deref().unwrap_or("Do it.")))];
        let new = NewRun {
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
            artifacts: vec![agent.digest],
        };
        Ok(NewChild { new, spec })
    }
}
