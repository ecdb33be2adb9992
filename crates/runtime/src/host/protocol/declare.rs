//! An accepted declaration as actions of the engine.

use std::collections::BTreeMap;

use provost_contract::action::policies::{Layer, Merged, Policies, Policy as _};
use provost_contract::action::{
    Access, Action, ConditionStatus, ContextRef, ExecutorType, Idempotency, Reference, Resource,
    ResultPolicy, is_replaced,
};
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolFacts;
use provost_engine::event::{ActionSpec, Declaration, Each, ExecutorKind, Step};
use provost_engine::{ActionId, Agent, Args, Digest, Payload, Usage};
use provost_protocol::{Accepted, Catalog, Content, Envelope, Speaking, Strategy, Turn};
use serde_json::{Value, json};

use super::RefusedDeclaration;
use crate::host::calls;

/// The resource that stands for everything in a workspace.
const WORKSPACE: &str = "workspace:*";
/// The operation of the runtime that writes a report.
const REPORT: &str = provost_engine::state::REPORT;

/// An action that completed earlier, which a declaration may depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// In the same run.
    Here(ActionId),
    /// In another run, by its address without the part.
    Elsewhere(String),
}

/// What is needed to read declarations for a run.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The agent whose tools and policies hold.
    pub agent: &'a Agent,
    /// The caller's context.
    pub context: &'a Object,
    /// Completed actions by label.
    pub earlier: &'a BTreeMap<String, Earlier>,
}

/// A declaration, and the raw arguments of its actions in their order.
pub(in crate::host) struct Declared {
    pub(in crate::host) declaration: Declaration,
    pub(in crate::host) raw: Vec<Object>,
}

impl Reading<'_> {
    /// Returns the context in which a message is read: what may be named, what completed, which policies hold.
    pub(in crate::host) fn turn<'c>(&self, catalog: &'c Catalog) -> Turn<'c> {
        let settings = &self.agent.spec.protocol;
        let read = |said: &Object| Policies::parse(&Value::Object(said.clone())).unwrap_or_default();
        let mut turn = Turn::new(Speaking::Protocol, catalog);
        turn.completed = self.earlier.keys().cloned().collect();
        turn.runtime_policies = read(&settings.runtime_policies);
        turn.agent_policies = read(&settings.policies);
        turn
    }

    /// Turns an accepted message into a declaration of the engine.
    ///
    /// # Errors
    /// If an action asks for an executor that does not exist here.
    pub(in crate::host) fn declared(
        &self,
        accepted: &Accepted,
        turn: &Turn<'_>,
    ) -> Result<Declared, RefusedDeclaration> {
        let actions: &[Action] = match &accepted.content {
            Content::Act(actions) | Content::Revise { actions, .. } => actions,
            Content::Plain
            | Content::Answer
            | Content::Done
            | Content::Plan(_)
            | Content::Decision(_)
            | Content::Cancel { .. }
            | Content::Report(_) => &[],
        };
        let labels: BTreeMap<&str, u32> =
            (0..).zip(actions).map(|(index, action)| (action.id.as_str(), index)).collect();
        let mut declared = Declared { declaration: self.head(accepted), raw: Vec::new() };
        for (index, action) in actions.iter().enumerate() {
            let at = Place { index, flat: accepted.envelope.is_none() };
            let merged = accepted.merged_policies(action, turn);
            let (step, raw) = self.step(action, (accepted.envelope.as_ref(), &merged), &labels, at)?;
            declared.declaration.add.push(step);
            declared.raw.push(raw);
        }
        if let Content::Report(report) = &accepted.content {
            let spec = self.report(report.to_value());
            declared.declaration.add.push(alone(spec));
            declared.raw.push(Object::new());
        }
        let price = accepted.price(turn.catalog);
        if price.calls > 0 {
            declared.declaration.price = Usage::of("calls", price.calls);
        }
        declared.declaration.signature = (!actions.is_empty()).then(|| signature(actions));
        Ok(declared)
    }

    fn head(&self, accepted: &Accepted) -> Declaration {
        let intent = match &accepted.content {
            Content::Plain | Content::Answer => "answer",
            Content::Done => "done",
            Content::Act(_) => "act",
            Content::Plan(_) => "plan",
            Content::Revise { .. } => "revise",
            Content::Decision(_) => "decide",
            Content::Cancel { .. } => "cancel",
            Content::Report(_) => "report",
        };
        let answers = matches!(accepted.content, Content::Plain | Content::Answer | Content::Done);
        let message = accepted.message.clone().unwrap_or_default();
        let envelope = accepted.envelope.as_ref();
        let title = envelope.and_then(|envelope| envelope.title.clone());
        let mut violations: Vec<Value> =
            accepted.violations.iter().map(|violation| violation.to_string().into()).collect();
        if accepted.content == Content::Plain {
            violations.push("plain_answer".into());
        }
        Declaration {
            intent: intent.to_owned(),
            answer: answers.then(|| Payload::inline(message.clone())),
            note: accepted
                .user_visible
                .clone()
                .or_else(|| (!answers && !message.is_empty()).then_some(message)),
            title,
            violations,
            ..Declaration::default()
        }
    }

    fn step(
        &self,
        action: &Action,
        (envelope, merged): (Option<&Envelope>, &Merged),
        labels: &BTreeMap<&str, u32>,
        at: Place,
    ) -> Result<(Step, Object), RefusedDeclaration> {
        let (kind, target) = self.executor(action, at)?;
        let (args, raw, unprepared) = self.arguments(action, kind, &target);
        let mut spec =
            ActionSpec::new(ActionId { declaration: 0, index: 0 }, operation(action, &target), kind);
        spec.executor.target.clone_from(&target);
        spec.executor.reasons = vec!["named by the declaration".to_owned()];
        spec.label = action.id.to_string();
        spec.args = args;
        spec.unprepared = unprepared;
        spec.facts = facts(self.agent, kind, &target);
        spec.each =
            action.for_each.as_ref().map(|each| Each { list: each.list().to_string(), max: each.max() });
        spec.resolves = holds_references(&Value::Object(action.input.clone()));
        spec.wait_ms = (kind == ExecutorKind::Timer).then(|| milliseconds(&action.input));
        spec.prompt = action.prompt.as_ref().map(|prompt| prompt.text.clone());
        spec.context = self.sources(action, kind, &target);
        spec.repeat.clone_from(&action.repeat);
        spec.on_failure = action.failure_policy;
        spec.result_policy = result_policy(action, envelope);
        spec.persist = action.persist;
        spec.title = if action.title == action.id.as_str() { String::new() } else { action.title.clone() };
        spec.description.clone_from(&action.description);
        spec.reason.clone_from(&action.reason);
        if merged.decided_by("idempotency").is_some() {
            spec.facts.idempotency = spec.facts.idempotency.strictest(merged.effective().idempotency);
        }
        spec.resources = resources(action, &spec.facts, merged, kind);
        spec.policies = explained(merged, envelope);
        Ok((self.edges(action, spec, labels, at)?, raw))
    }

    /// The executor that carries an action out. Only what the runtime has can be named.
    fn executor(&self, action: &Action, at: Place) -> Result<(ExecutorKind, String), RefusedDeclaration> {
        let unavailable = |what: &str| {
            let message = format!("{}: {what}", action.id);
            Err(RefusedDeclaration::new("unresolved_executor", message, Some(at.executor())))
        };
        let Some(name) = action.executor.target.name() else {
            return unavailable("the runtime does not choose executors yet; name one");
        };
        match action.executor.kind {
            None => unavailable("the executor has no type; name one with its type"),
            Some(ExecutorType::Tool) => Ok((self.agent.executor(name), name.to_owned())),
            Some(ExecutorType::Runtime) if name == "wait" => Ok((ExecutorKind::Timer, name.to_owned())),
            Some(ExecutorType::Runtime) => Ok((ExecutorKind::Runtime, name.to_owned())),
            Some(kind) => unavailable(&format!("executors of type {} are not available", <&str>::from(kind))),
        }
    }

    /// The arguments with what may be shown of them, and the raw ones.
    fn arguments(
        &self,
        action: &Action,
        kind: ExecutorKind,
        target: &str,
    ) -> (Args, Object, Option<provost_engine::event::Unprepared>) {
        let mut raw = action.input.clone();
        self.rewrite(&mut raw);
        if matches!(kind, ExecutorKind::Runtime | ExecutorKind::Timer) {
            return (Args::open(raw.clone()), raw, None);
        }
        let known = !holds_references(&Value::Object(raw.clone())) && action.for_each.is_none();
        let read = calls::read_declared(self.agent, target, action.id.as_str(), self.context, &raw, known);
        (read.args.clone(), raw, read.unprepared.clone())
    }

    /// References to actions of other runs become addresses, because their names hold in that run only.
    fn rewrite(&self, input: &mut Object) {
        input.values_mut().for_each(|value| self.rewrite_value(value));
    }

    fn rewrite_value(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.rewrite_value(item)),
            Value::Object(object) => {
                if is_replaced(object) {
                    if let Some(Value::String(text)) = object.get_mut("$ref") {
                        *text = self.address(text);
                    }
                    return;
                }
                object.values_mut().for_each(|value| self.rewrite_value(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn address(&self, text: &str) -> String {
        let (name, pointer) = text.split_once('#').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let Ok(Reference::Action { id, part }) = Reference::parse(name) else { return text.to_owned() };
        let Some(Earlier::Elsewhere(address)) = self.earlier.get(id.as_str()) else { return text.to_owned() };
        let pointer = pointer.map(|pointer| format!("#{pointer}")).unwrap_or_default();
        format!("{address}/{}{pointer}", <&str>::from(part))
    }

    /// What an operation of the runtime works on, and what else an action is given to know.
    fn sources(&self, action: &Action, kind: ExecutorKind, target: &str) -> Value {
        let refs: Vec<Value> = action.context_refs.iter().map(|context| self.source(context)).collect();
        if kind != ExecutorKind::Runtime {
            return if refs.is_empty() { Value::Null } else { json!({ "refs": refs }) };
        }
        let own = || {
            action.depends_on.iter().map(|id| json!({ "ref": self.address(&format!("action:{id}.output")) }))
        };
        match target {
            "merge" | "summarize" if refs.is_empty() => json!({ "refs": own().collect::<Value>() }),
            _ => json!({ "refs": refs }),
        }
    }

    fn source(&self, context: &ContextRef) -> Value {
        let text = self.address(&context.reference.to_string());
        match &context.text {
            Some(expanded) => json!({ "ref": text, "text": expanded }),
            None => json!({ "ref": text }),
        }
    }

    /// A report is an action of the runtime, whose output is the answer.
    fn report(&self, mut report: Value) -> ActionSpec {
        let sections = report.get_mut("sections").and_then(Value::as_array_mut);
        for context in sections.into_iter().flatten().filter_map(|section| section.get_mut("refs")) {
            for source in context.as_array_mut().into_iter().flatten() {
                if let Some(Value::String(text)) = source.get_mut("ref") {
                    *text = self.address(text);
                }
            }
        }
        let id = ActionId { declaration: 0, index: 0 };
        let mut spec = ActionSpec::new(id, "write_report", ExecutorKind::Runtime);
        spec.executor.target = REPORT.to_owned();
        spec.label = REPORT.to_owned();
        spec.facts = facts(self.agent, ExecutorKind::Runtime, REPORT);
        spec.result_policy = provost_contract::action::ReturnToModel::Full.into();
        spec.context = json!({ "report": report });
        spec
    }

    fn edges(
        &self,
        action: &Action,
        spec: ActionSpec,
        labels: &BTreeMap<&str, u32>,
        at: Place,
    ) -> Result<Step, RefusedDeclaration> {
        let mut step = alone(spec);
        for id in &action.depends_on {
            match (labels.get(id.as_str()), self.earlier.get(id.as_str())) {
                (Some(index), _) => step.depends_on.push(*index),
                (None, Some(Earlier::Here(earlier))) => step.earlier.push(*earlier),
                (None, Some(Earlier::Elsewhere(_)) | None) => {}
            }
        }
        for condition in &action.when {
            match labels.get(condition.action.as_str()) {
                Some(index) => step.when.push((*index, condition.status)),
                None if condition.status == ConditionStatus::Completed => {}
                None => {
                    let message = format!(
                        "{}: {} completed earlier, so this condition never holds",
                        action.id, condition.action
                    );
                    return Err(RefusedDeclaration::new("invalid_schema", message, Some(at.field("when"))));
                }
            }
        }
        Ok(step)
    }
}

/// Where an action stands in its declaration.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    flat: bool,
}

impl Place {
    fn field(self, field: &str) -> String {
        let list = if self.flat { "/calls" } else { "/payload/actions" };
        format!("{list}/{}/{field}", self.index)
    }

    fn executor(self) -> String {
        self.field(if self.flat { "name" } else { "executor" })
    }
}

fn alone(spec: ActionSpec) -> Step {
    Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() }
}

/// The verb of an action. What a tool is asked to do is decided under the tool's name, whatever the model calls it.
fn operation(action: &Action, target: &str) -> String {
    match action.executor.kind {
        Some(ExecutorType::Tool) => target.to_owned(),
        _ => action.operation.clone().unwrap_or_else(|| target.to_owned()),
    }
}

fn facts(agent: &Agent, kind: ExecutorKind, target: &str) -> ToolFacts {
    match kind {
        ExecutorKind::Runtime | ExecutorKind::Timer => ToolFacts {
            effects: [provost_contract::action::SideEffect::None].into_iter().collect(),
            idempotency: Idempotency::Pure,
            ..ToolFacts::default()
        },
        _ => agent.facts(target),
    }
}

fn milliseconds(input: &Object) -> u64 {
    input.get("ms").and_then(Value::as_u64).unwrap_or_default()
}

fn holds_references(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_references),
        Value::Object(object) => is_replaced(object) || object.values().any(holds_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What the model wants to see: as the action says, else as its declaration says for all of them.
fn result_policy(action: &Action, envelope: Option<&Envelope>) -> ResultPolicy {
    let Some(wish) = envelope.map(|envelope| &envelope.response_policy).filter(|wish| !wish.is_empty())
    else {
        return action.result_policy.clone();
    };
    let mut policy = action.result_policy.clone();
    if policy == ResultPolicy::default() {
        let known = ["return_to_model", "store_full", "priority", "if_truncated"];
        let said: Object = wish
            .iter()
            .filter(|(key, _)| known.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        policy = ResultPolicy::parse(&said.into()).unwrap_or(policy);
    }
    let most = json::present(wish, "max_tokens").and_then(Value::as_u64).filter(|most| *most > 0);
    policy.max_tokens = policy.max_tokens.into_iter().chain(most).min();
    policy
}

/// What an action reads and writes. One that may write and does not say what counts as writing everything in its
/// workspace: it runs alone among those that write, and reads go on.
fn resources(action: &Action, facts: &ToolFacts, merged: &Merged, kind: ExecutorKind) -> Vec<Resource> {
    use provost_contract::action::policies::ConflictResolution;
    if merged.effective().conflict_resolution == ConflictResolution::LastWriter {
        return Vec::new();
    }
    let own = if action.resources.is_empty() { &facts.resources } else { &action.resources };
    let reads = facts.only_reads() || matches!(kind, ExecutorKind::Runtime | ExecutorKind::Timer);
    if reads {
        let shared = |resource: &Resource| Resource { name: resource.name.clone(), access: Access::Read };
        return own.iter().map(shared).collect();
    }
    let access = if own.is_empty() { Access::Write } else { Access::Read };
    let mut resources = own.clone();
    resources.push(Resource { name: WORKSPACE.to_owned(), access });
    resources
}

/// The policies that hold, each with the layer that decided it; nothing when no layer says anything. A declaration
/// whose strategy is sequential runs one action at a time.
fn explained(merged: &Merged, envelope: Option<&Envelope>) -> Value {
    let mut explained = merged.to_value();
    let said = explained.as_object_mut();
    let mut said = said.map(std::mem::take).unwrap_or_default();
    said.retain(|_, policy| policy.get("decided_by").is_some_and(|layer| !layer.is_null()));
    if envelope.is_some_and(|envelope| envelope.strategy == Strategy::Sequential) {
        let mut budget = merged.effective().budget_policy;
        budget.max_parallel = Some(1);
        said.insert("budget_policy".into(), json!({ "value": budget.wire(), "decided_by": Layer::Envelope }));
    }
    if said.is_empty() { Value::Null } else { said.into() }
}

/// Two declarations of equal actions are equal, whatever they are called.
fn signature(actions: &[Action]) -> Digest {
    let asked = |action: &Action| {
        json!([action.executor.to_value(), action.input, action.prompt.as_ref().map(|prompt| &prompt.text)])
    };
    let asked: Value = actions.iter().map(asked).collect();
    Digest::of(asked.to_string().as_bytes())
}
