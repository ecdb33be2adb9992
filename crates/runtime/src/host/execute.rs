//! The host as a performer of effects: executing calls, previewing them and finding attempts again. Models and hooks
//! are in their own files.

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::{
    ParameterRules, RuntimeMetadata, ToolCall, ToolDeclaration, ToolOutcome, ToolResult,
};
use provost_engine::event::{ActionSpec, ExecutorKind, HookAnswer, Note, Outcome, Probe, Purpose, WaitsOn};
use provost_engine::state::Transcript;
use provost_engine::view::{ChildOrder, value_of};
use provost_engine::{Fault, Payload, RunId, Usage};
use serde_json::Value;

use super::{HostPerformer, Tool, calls, protocol, reporting, result_of, show_tools};
use crate::actor::{
    Found, HookCall, LostAttempt, ModelCall, ModelReply, NewChild, Performer, Previewed, RunContext, Work,
};
use crate::port::{Boxed, DeclaredExecutor, ExecutorError, Recalled, Report, ToolAction};

/// The status of a result that a client must give.
const PENDING: &str = "runtime_tool_pending";

/// Everything that an executor of the host gets.
struct Assignment {
    call: ToolCall,
    executor: DeclaredExecutor,
    runtime: RuntimeMetadata,
    context: Object,
    run: String,
    action: String,
    key: String,
    report: Report,
}

impl Assignment {
    fn action(&self) -> ToolAction<'_> {
        let Self { call, executor, runtime, context, run, action, key, report } = self;
        ToolAction { call, executor: *executor, runtime, context, run, action, key, report }
    }
}

impl Performer for HostPerformer {
    fn execute(&self, work: Work) -> Boxed<'_, (Outcome, Usage)> {
        Box::pin(async move {
            let nothing = Usage::default();
            if work.spec.executor.kind == ExecutorKind::Runtime {
                return (protocol::operate(&work), nothing);
            }
            if let Some(reply) = show_tools::reply(&work) {
                return (outcome(&work, Ok(reply)), nothing);
            }
            let key = work.execute.key.to_string();
            let assignment = self.assignment(&work.context, &work.spec, &work.raw, key);
            let (Some(executors), Some(assignment)) = (&self.host.executors, assignment) else {
                return (Outcome::NotStarted { code: "tool_gone".into() }, nothing);
            };
            let report = reporting::report(&work.context.spec.run, work.spec.id, &work.deltas);
            let assignment = Assignment { report, ..assignment };
            let action = assignment.action();
            if let Some(process) = executors.prepare(action) {
                let note = Note::Process { host: String::new(), pid: 0, start: 0, handle: process };
                if !work.notes.note(note).await {
                    return (Outcome::NotStarted { code: "stopped".into() }, nothing);
                }
            }
            let reply = executors.execute(action).await;
            (outcome(&work, reply), nothing)
        })
    }

    fn reserve(&self, context: &RunContext, transcript: &Transcript) -> Usage {
        self.reserved(context, transcript)
    }

    fn model(&self, call: ModelCall) -> Boxed<'_, ModelReply> {
        Box::pin(async move {
            match call.purpose {
                Purpose::Turn => self.turn(call).await,
                Purpose::Compaction | Purpose::Summary { .. } => self.summary(call).await,
            }
        })
    }

    fn hook(&self, call: HookCall) -> Boxed<'_, HookAnswer> {
        Box::pin(self.ask(call))
    }

    fn preview(&self, work: Work) -> Boxed<'_, Previewed> {
        Box::pin(self.previewed(work))
    }

    fn recover(&self, lost: LostAttempt) -> Boxed<'_, Found> {
        Box::pin(self.found(lost))
    }

    fn unload(&self, run: &RunId) {
        self.memories.unload(run);
    }

    fn forget(&self, run: &RunId) {
        self.memories.forget(run);
        if let Some(executors) = &self.host.executors {
            executors.release(run.as_str());
        }
    }

    fn child(&self, _: &RunContext, order: &ChildOrder, _: &ActionSpec) -> Result<NewChild, Fault> {
        let sentence = format!("There is no agent {}.", order.agent);
        Err(Fault::new("unknown_agent", sentence))
    }
}

impl HostPerformer {
    fn assignment(
        &self,
        of: &RunContext,
        spec: &ActionSpec,
        raw: &Object,
        key: String,
    ) -> Option<Assignment> {
        let mut context = self.context(of);
        context.insert("tool_call_id".into(), spec.label.as_str().into());
        let called = spec.called.as_deref().unwrap_or(&spec.operation);
        let declaration = of.agent.catalog.get(&spec.operation);
        Some(Assignment {
            call: calls::tool_call(&of.agent, called, &spec.label, &context, raw)?,
            executor: declaration.map_or(DeclaredExecutor::Host, ToolDeclaration::executor),
            runtime: declaration.map(ToolDeclaration::runtime).cloned().unwrap_or_default(),
            context,
            run: of.spec.run.to_string(),
            action: spec.id.to_string(),
            key,
            report: Report::default(),
        })
    }

    pub(super) async fn previewed(&self, work: Work) -> Previewed {
        let key = work.execute.key.to_string();
        // A preview is recorded and shown: it is made of what may be.
        let args = &work.execute.args;
        let shown = if args.hides { &args.redacted } else { &work.raw };
        let assignment = self.assignment(&work.context, &work.spec, shown, key);
        let (Some(executors), Some(assignment)) = (&self.host.executors, assignment) else {
            return Previewed { preview: Ok(Payload::default()), expect: Vec::new() };
        };
        let preview = executors.preview(assignment.action()).await;
        let preview = match preview.as_ref().and_then(refusal) {
            Some((code, reason)) => Err(Fault::new(code, reason)),
            None => Ok(preview.map(Payload::inline).unwrap_or_default()),
        };
        Previewed { preview, expect: Vec::new() }
    }

    /// Nothing runs again, or is asked about, while what an earlier worker started for it still runs.
    pub(super) async fn found(&self, lost: LostAttempt) -> Found {
        let Some(executors) = &self.host.executors else { return Found::default() };
        let gone = match &lost.process {
            Some(Note::Process { handle, .. }) => {
                let declaration = lost.context.agent.catalog.get(&lost.spec.operation);
                let target = declaration.and_then(|declaration| declaration.runtime().executor_target());
                executors.end_earlier(target, handle).await.is_ok()
            }
            Some(_) => false,
            // It ran inside the worker.
            None => lost.worker_gone,
        };
        let unknown = Found { gone, probe: Probe::Unknown, result: None };
        let Some(raw) = &lost.raw else { return unknown };
        let key = lost.key.to_string();
        let Some(assignment) = self.assignment(&lost.context, &lost.spec, raw, key) else { return unknown };
        match executors.recall(assignment.action()).await {
            Recalled::Unknown => unknown,
            Recalled::NotDone => Found { gone, probe: Probe::NotDone, result: None },
            Recalled::Done(reply) => {
                let result = read(&lost.context, &lost.spec.operation, Ok(reply)).ok();
                let result = result.map(|result| Payload::inline(result.to_object()));
                Found { gone, probe: Probe::Done, result }
            }
        }
    }
}

/// Reads what an executor replied.
fn read(of: &RunContext, operation: &str, reply: Result<Value, ExecutorError>) -> Result<ToolResult, Fault> {
    let no_rules = Object::new();
    let declaration = of.agent.catalog.get(operation);
    let tool = declaration.map_or_else(|| Tool::read(operation, &no_rules), Tool::from);
    result_of(&tool, reply).map_err(|error| Fault::new(error.code(), error.message()))
}

fn outcome(work: &Work, reply: Result<Value, ExecutorError>) -> Outcome {
    if let Err(ExecutorError::TimedOut { ms }) = reply {
        return Outcome::TimedOut { ms };
    }
    let result = match read(&work.context, &work.spec.operation, reply) {
        Ok(result) => result,
        Err(fault) => return Outcome::Failed { fault, result: Payload::default() },
    };
    if is_pending(&result) {
        let ask = Payload::inline(redacted(&work.context, &work.spec.operation, result.to_object()));
        return Outcome::Waits { on: WaitsOn::Client, ask };
    }
    let payload = Payload::inline(result.to_object());
    match result.outcome() {
        ToolOutcome::Success(answer) => {
            let proposes = answer.as_object().and_then(|answer| json::text(answer, "type"));
            if proposes == Some("approval_required") {
                // What cannot be shown to a person cannot be asked.
                if let Err(error) = Message::parse(answer) {
                    let fault = Fault::new(error.code(), error.message());
                    return Outcome::Failed { fault, result: Payload::default() };
                }
                return Outcome::Waits { on: WaitsOn::Person, ask: Payload::inline(answer.clone()) };
            }
            let goal = work.spec.repeat.as_ref().and_then(|repeat| repeat.until.as_ref());
            let goal = goal.is_none_or(|until| until.holds_for(&value_of(payload.shown())));
            Outcome::Completed { result: payload, goal, satisfying: true }
        }
        ToolOutcome::Failure(error) => {
            let code = json::text(result.metadata(), "error_type").unwrap_or("tool_failed");
            Outcome::Failed { fault: Fault::new(code, error.as_str()), result: payload }
        }
    }
}

/// A request for a client as records have it. Only the client itself gets the raw parameters.
fn redacted(of: &RunContext, operation: &str, mut result: Object) -> Object {
    let no_rules = ParameterRules::default();
    let rules = of.agent.catalog.get(operation).map_or(&no_rules, ToolDeclaration::rules);
    for key in ["runtime_tool_request", "result"] {
        let Some(request) = result.get_mut(key).and_then(Value::as_object_mut) else { continue };
        if let Some(parameters) = json::object(request, "parameters").map(|raw| rules.redact(raw)) {
            request.insert("parameters".into(), parameters.to_value());
        }
    }
    result
}

fn is_pending(result: &ToolResult) -> bool {
    result.status() == Some(PENDING) || json::trimmed_text(result.metadata(), "status") == Some(PENDING)
}

/// Why a call would fail, when its preview says so: the code and the reason.
fn refusal(preview: &Value) -> Option<(&str, &str)> {
    let text = |key: &str| preview.get(key).and_then(Value::as_str);
    text("type").filter(|kind| *kind == "refused")?;
    Some((text("code").unwrap_or("would_fail"), text("reason").unwrap_or_default()))
}
