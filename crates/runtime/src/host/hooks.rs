//! The hooks of a host, and what their answers mean.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_engine::event::{ExecutorKind, Hook, HookAnswer};
use provost_engine::{Args, Fault, Payload, Ruling, Verdict, hash_of};
use provost_policy::{ActionPolicy, HookFailure};
use serde_json::{Value, json};

use super::{ContinueBy, HostPerformer, calls};
use crate::actor::{ActionView, HookCall, RunContext, Subject};
use crate::port::{
    self, CompletionOpinion, DiagnosedResult, FinishedTurn, HostError, JudgedResult, MediatedCall, Mediation,
    Transcript,
};

impl HostPerformer {
    pub(super) async fn ask(&self, call: HookCall) -> HookAnswer {
        let context = self.caller_context(&call.context);
        let transcript = &call.transcript;
        match (call.hook, &call.subject) {
            (Hook::Policy, Subject::Action(action)) => {
                self.rule(&call.context, &context, transcript, action).await
            }
            (Hook::Mediate, Subject::Action(action)) => {
                self.mediate(&call.context, &context, transcript, action).await
            }
            (Hook::AfterTool, Subject::Action(action)) => {
                self.diagnose(&call.context, &context, action).await
            }
            (Hook::Completion, Subject::Action(action)) => self.judge(&call.context, &context, action).await,
            (Hook::Continue, _) => self.go_on(&call.context, &context, transcript).await,
            (Hook::Interrupt, _) => self.interrupted(&call.context, &context, transcript).await,
            (Hook::BeforeModel, _) => self.before_model(&call.context, &context, transcript).await,
            (Hook::AfterModel, _) => {
                self.after_model(&call.context, &context, transcript, call.response.as_deref()).await
            }
            (Hook::Resolve, Subject::Action(action)) => self.checked(&call.context, action),
            (Hook::OnStop, _) | (_, Subject::Turn(_) | Subject::Run) => HookAnswer::NoOpinion,
        }
    }

    /// Arguments whose references have values, as records have them; or why they do not fit.
    fn checked(&self, of: &RunContext, action: &ActionView) -> HookAnswer {
        let Some(raw) = &action.raw else { return missing() };
        let spec = &action.spec;
        if matches!(spec.executor.kind, ExecutorKind::Runtime | ExecutorKind::Timer) {
            return HookAnswer::Resolved { args: Args::open(raw.clone()), items: Vec::new() };
        }
        let context = self.context(of);
        match calls::read_resolved(&of.agent, &spec.operation, &spec.label, &context, raw) {
            Ok(args) => HookAnswer::Resolved { args, items: Vec::new() },
            Err(fault) => HookAnswer::Failed { fault },
        }
    }

    /// The raw arguments, or the recorded ones, where a record is all that is left.
    async fn rule(
        &self,
        of: &RunContext,
        context: &Object,
        transcript: &Transcript,
        action: &ActionView,
    ) -> HookAnswer {
        let Some(policy) = &self.host.policy else { return missing() };
        let mediated = self.mediated(of, action);
        match policy.rule(mediated.call(of, context, transcript)).await {
            Ok(None) => HookAnswer::NoOpinion,
            Ok(Some(ruling)) => {
                // The person who says that a call in doubt runs again has been asked about exactly this call.
                let ruling = ruling_of(ruling, self.host.attended || action.approved);
                HookAnswer::Proceed { ruling: Some(Box::new(ruling)) }
            }
            Err(failure) => failed(failure, "policy"),
        }
    }

    async fn mediate(
        &self,
        of: &RunContext,
        context: &Object,
        transcript: &Transcript,
        action: &ActionView,
    ) -> HookAnswer {
        let Some(mediator) = &self.host.mediator else { return missing() };
        let mediated = self.mediated(of, action);
        match mediator.decide(mediated.call(of, context, transcript)).await {
            Ok(None | Some(Mediation::Proceed)) => HookAnswer::Proceed { ruling: None },
            Ok(Some(Mediation::Reject(rejection))) => rejected(action, *rejection),
            Ok(Some(Mediation::Replace { mut result, completes })) => {
                if json::non_empty_text(&result, "tool_name").is_none() {
                    result.insert("tool_name".into(), action.spec.operation.as_str().into());
                }
                let result = provost_contract::tool::ToolResult::parse(&Value::Object(result));
                match result {
                    Ok(result) => {
                        HookAnswer::Replace { payload: Payload::inline(result.to_object()), completes }
                    }
                    Err(_) => failed(HookFailure::Nonsense, "mediation"),
                }
            }
            Ok(Some(Mediation::Wait(waiting))) => {
                let mut metadata = waiting.metadata;
                metadata.insert("status".into(), "runtime_tool_pending".into());
                let result = json!({
                    "success": false,
                    "tool_name": action.spec.operation,
                    "error": waiting.error.as_deref().unwrap_or("Waiting for external runtime tool result."),
                    "metadata": metadata,
                    "runtime": waiting.runtime.to_value(),
                });
                HookAnswer::Wait { result: json::into_object(result) }
            }
            Err(failure) => failed(failure, "mediation"),
        }
    }

    async fn diagnose(&self, of: &RunContext, context: &Object, action: &ActionView) -> HookAnswer {
        let Some(diagnostics) = &self.host.diagnostics else { return HookAnswer::NoOpinion };
        let no_result = Object::new();
        let result =
            action.result.as_ref().and_then(|result| result.shown().as_object()).unwrap_or(&no_result);
        let diagnosed = DiagnosedResult {
            tool_name: &action.spec.operation,
            tool_call_id: &action.spec.label,
            declaration: of.agent.catalog.get(&action.spec.operation),
            parameters_sha256: &hash_of(&action.args.redacted).to_string(),
            result,
            success: result.get("success") == Some(&Value::Bool(true)),
            turn: of.turn.into(),
            context,
        };
        let value = diagnostics.diagnose(diagnosed).await.unwrap_or_default();
        HookAnswer::Note { value }
    }

    async fn judge(&self, of: &RunContext, context: &Object, action: &ActionView) -> HookAnswer {
        let Some(policy) = &self.host.completion else { return HookAnswer::NoOpinion };
        let no_result = Object::new();
        let tool_name = action.spec.operation.as_str();
        let result =
            action.result.as_ref().and_then(|result| result.shown().as_object()).unwrap_or(&no_result);
        let judged = JudgedResult {
            tool_name,
            declared: of.agent.catalog.get(tool_name).is_some(),
            result,
            success: result.get("success") == Some(&Value::Bool(true)),
            turn: of.turn.into(),
            context,
        };
        let opinion = policy.judge(judged).await.unwrap_or_default();
        completion(of, tool_name, &opinion)
    }

    /// Whether the completion policy calls the work done, by a result that the host reported itself.
    pub(super) async fn judge_managed(&self, of: &RunContext, results: &[Value]) -> bool {
        let Some(policy) = &self.host.completion else { return false };
        let context = self.caller_context(of);
        for reported in results.iter().filter_map(Value::as_object) {
            let Some(result) = json::object(reported, "result") else { continue };
            let tool_name = json::text(reported, "tool_name").unwrap_or_default();
            let judged = JudgedResult {
                tool_name,
                declared: of.agent.catalog.get(tool_name).is_some(),
                result,
                success: result.get("success") == Some(&Value::Bool(true)),
                turn: of.turn.into(),
                context: &context,
            };
            if policy.judge(judged).await.unwrap_or_default().complete {
                return true;
            }
        }
        false
    }

    /// A call as hooks see it, with what earlier calls gave.
    fn mediated<'a>(&self, of: &RunContext, action: &'a ActionView) -> Mediated<'a> {
        let label = &action.spec.label;
        let (written, reported) = self
            .memories
            .of(&of.spec.run, |memory| (memory.written.get(label).cloned(), memory.reported.clone()));
        Mediated::of(of, &self.context(of), action, written, reported)
    }

    async fn go_on(&self, of: &RunContext, context: &Object, transcript: &Transcript) -> HookAnswer {
        let ContinueBy::Policy(policy) = &self.host.continuation else { return HookAnswer::NoOpinion };
        match policy.go_on(finished_turn(of, context, transcript)).await {
            Ok(true) => HookAnswer::Proceed { ruling: None },
            Ok(false) => HookAnswer::Complete { reason: "continue".into(), record: Object::new() },
            Err(HostError(message)) => HookAnswer::Failed {
                fault: Fault::new("continue_failed", reason_or(message, "A continue hook failed.")),
            },
        }
    }

    async fn interrupted(&self, of: &RunContext, context: &Object, transcript: &Transcript) -> HookAnswer {
        let Some(source) = &self.host.interrupts else { return HookAnswer::NoOpinion };
        let said = source.ask(finished_turn(of, context, transcript)).await.unwrap_or_default();
        interrupt(of, &said)
    }
}

fn finished_turn<'a>(of: &RunContext, context: &'a Object, messages: &'a Transcript) -> FinishedTurn<'a> {
    FinishedTurn { turn: of.turn.into(), messages, context }
}

/// A call as hooks see it.
struct Mediated<'a> {
    action: &'a ActionView,
    parameters: Object,
    raw: Object,
    prepared: Option<provost_contract::tool::ToolCall>,
    reported: Vec<Value>,
}

impl<'a> Mediated<'a> {
    fn of(
        of: &RunContext,
        context: &Object,
        action: &'a ActionView,
        written: Option<Object>,
        reported: Vec<Value>,
    ) -> Self {
        let parameters = action.raw.clone().unwrap_or_else(|| action.args.redacted.clone());
        let called = action.spec.called.as_deref().unwrap_or(&action.spec.operation);
        let raw = || json!({ "id": action.spec.label, "name": called, "parameters": parameters });
        let raw = written.unwrap_or_else(|| json::into_object(raw()));
        let prepared = calls::tool_call(&of.agent, called, &action.spec.label, context, &parameters)
            .filter(|_| action.spec.unprepared.is_none());
        Self { action, raw, parameters, prepared, reported }
    }

    fn call<'b>(
        &'b self,
        of: &'b RunContext,
        context: &'b Object,
        messages: &'b Transcript,
    ) -> MediatedCall<'b> {
        MediatedCall {
            tool_name: &self.action.spec.operation,
            tool_call_id: &self.action.spec.label,
            parameters: &self.parameters,
            raw_tool_call: &self.raw,
            prepared: self.prepared.as_ref(),
            declaration: of.agent.catalog.get(&self.action.spec.operation),
            turn: of.turn.into(),
            context,
            messages,
            reported: &self.reported,
        }
    }
}

/// A run that was accepted with a hook does not go on without it.
pub(super) fn missing() -> HookAnswer {
    HookAnswer::Failed { fault: Fault::new("hook_missing", "The hook that must decide does not exist here.") }
}

/// Returns the reason, or the usual sentence if a hook gave none: a result with an empty reason cannot be written.
pub(super) fn reason_or(reason: String, usual: &str) -> String {
    if reason.trim().is_empty() { usual.to_owned() } else { reason }
}

fn failed(failure: HookFailure, what: &str) -> HookAnswer {
    let fault = match what {
        "mediation" => Fault::new(
            "pre_tool_mediation_failed",
            format!("Tool call rejected: the pre-tool mediator gave no decision ({failure})."),
        ),
        _ => Fault::new("policy_hook_failed", format!("the policy gave no decision ({failure})")),
    };
    HookAnswer::Failed { fault }
}

/// A call that only a person may allow is refused where no person can be asked.
fn ruling_of(mut ruling: port::Ruling, attended: bool) -> Ruling {
    if ruling.is_person_only() && !attended {
        ruling.policy = ActionPolicy::Forbidden;
        ruling.reason += "; only a person may allow exactly this call, and none can be asked";
    }
    let person_only = ruling.is_person_only();
    let decision = match ruling.policy {
        ActionPolicy::Direct => Verdict::Allow,
        ActionPolicy::Preview => Verdict::Ask,
        ActionPolicy::Forbidden => Verdict::Deny,
    };
    let own = Ruling::new(decision, ruling.rule, ruling.layer).because(ruling.reason);
    Ruling { inputs: ruling.inputs, person_only, ..own }
}

/// A refusal may bring its whole result; one that is no result is left aside.
fn rejected(action: &ActionView, rejection: port::Rejection) -> HookAnswer {
    use provost_contract::tool::ToolResult;
    let completes = rejection.completes;
    let mut metadata = rejection.metadata;
    if json::present(&metadata, "error_type").is_none() {
        metadata.insert("error_type".into(), "pre_tool_mediation_rejected".into());
    }
    let sentence = reason_or(rejection.error.unwrap_or_default(), "Tool call rejected by pre-tool mediator.");
    let given = rejection.result.and_then(|result| ToolResult::parse(&Value::Object(result)).ok());
    let made =
        || ToolResult::failure(&action.spec.operation, &sentence, metadata.clone(), rejection.runtime).ok();
    let result = given.or_else(made).map(|result| result.to_object());
    HookAnswer::Reject { fault: Fault::new("pre_tool_mediation_rejected", sentence), result, completes }
}

fn completion(of: &RunContext, tool_name: &str, opinion: &CompletionOpinion) -> HookAnswer {
    let message = opinion.message.trim();
    let record = json::into_object(json!({
        "tool_name": tool_name,
        "turn": of.turn,
        "message": message,
        "context": opinion.context,
    }));
    if opinion.complete {
        // The message is for records: nothing more is said to the model.
        let record = Object::from_iter([("record".to_owned(), Value::Object(record))]);
        return HookAnswer::Complete { reason: "completion_policy".into(), record };
    }
    if message.is_empty() {
        return HookAnswer::NoOpinion;
    }
    let mut said = Message::text("user", message);
    said.metadata.insert("type".into(), "completion_policy_continue".into());
    said.metadata.insert("completion_policy_context".into(), Value::Object(record.clone()));
    HookAnswer::Message { messages: vec![Arc::new(said)], record }
}

/// Reads an interrupt. Null is none; what is no message at all is ignored.
fn interrupt(of: &RunContext, said: &Value) -> HookAnswer {
    if said.is_null() {
        return HookAnswer::NoOpinion;
    }
    if !said.is_object() {
        let value = json!({ "ignored": "interrupt must be an array" });
        return HookAnswer::Note { value };
    }
    let message = match Message::parse(said) {
        Ok(message) => message,
        Err(error) => {
            let mut fields = Object::from_iter([("broken".to_owned(), Value::Bool(true))]);
            fields.insert("fields".into(), error.field_paths().into());
            let fault = Fault { fields, ..Fault::new(error.code(), error.message()) };
            return HookAnswer::Reject { fault, result: None, completes: false };
        }
    };
    let word = |key: &str| json::present(&message.metadata, key).and_then(Value::as_str);
    let action = word("interrupt_action").or_else(|| word("action")).unwrap_or("message");
    let action = match action.trim().to_lowercase().as_str() {
        "cancel" => "cancel",
        "redirect" => "redirect",
        _ => "message",
    };
    let mut record = json::without(&message.metadata, &["interrupt_action"]);
    record.insert("turn".into(), of.turn.into());
    record.insert("action".into(), action.into());
    record.insert("message".into(), message.to_value());
    if action == "cancel" {
        return HookAnswer::Complete { reason: "interrupted".into(), record };
    }
    HookAnswer::Message { messages: vec![Arc::new(message)], record }
}
