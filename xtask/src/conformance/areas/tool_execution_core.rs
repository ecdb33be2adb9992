//! Area `tool-execution-core`: one call, prepared and carried out.

use std::sync::Arc;

use provost_contract::json::Object;
use provost_contract::tool::{RuntimeMetadata, ToolCall, canonical_name};
use provost_runtime::host::{ClientRouter, Executors, Prepared, Tool, prepare, result_of};
use provost_runtime::port::{DeclaredExecutor, ExecutorError, Report, ToolAction, ToolExecutor};
use serde_json::{Value, json};

use super::{Answer, input, object, text, unknown_operation, wait};
use crate::conformance::scripted::ScriptedExecutor;

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "prepare" => prepared(case),
        "execute" => execute(case),
        "execute_prepared" => execute_prepared(case),
        "execute_routed" => execute_routed(case),
        _ => unknown_operation(op),
    }
}

/// The declaration a case's tool name means, and its own name.
fn declared<'a>(case: &'a Value, tools: &'a Object) -> Option<(&'a str, &'a Object)> {
    let name = canonical_name(text(case, "tool_name"), tools);
    Some((name, tools.get(name)?.as_object()?))
}

fn prepare_case(case: &Value, tools: &Object) -> Result<Prepared, Value> {
    let tool = declared(case, tools).map(|(name, declaration)| Tool::read(name, declaration));
    Ok(prepare(
        tool.as_ref(),
        text(case, "tool_name"),
        &object(case, "parameters"),
        &object(case, "context"),
    )?)
}

fn prepared(case: &Value) -> Answer {
    let tools = object(case, "tools");
    let mut answer = match prepare_case(case, &tools)? {
        Prepared::Ready(call) => {
            let declaration = declared(case, &tools).map(|(_, declaration)| declaration);
            json!({ "ready": true, "tool_call": call.to_value(), "tool_def": declaration })
        }
        Prepared::Refused(result) => result.to_value(),
    };
    if let Some(answer) = answer.as_object_mut() {
        answer.entry("ready").or_insert(Value::Bool(false));
    }
    Ok(answer)
}

fn execute(case: &Value) -> Answer {
    let tools = object(case, "tools");
    match (prepare_case(case, &tools)?, declared(case, &tools)) {
        (Prepared::Ready(call), Some((name, declaration))) => {
            carried_out(case, &call, &Tool::read(name, declaration))
        }
        (Prepared::Refused(result), _) => Ok(json!({ "result": result.to_value(), "calls": [] })),
        (Prepared::Ready(_), None) => unknown_operation("execute"),
    }
}

fn execute_prepared(case: &Value) -> Answer {
    let call = ToolCall::parse(input(case, "tool_call"))?;
    let declaration = object(case, "declaration");
    carried_out(case, &call, &Tool::read(call.tool_name(), &declaration))
}

fn execute_routed(case: &Value) -> Answer {
    let call = ToolCall::parse(input(case, "tool_call"))?;
    let (declaration, context) = (object(case, "declaration"), object(case, "context"));
    let runtime = RuntimeMetadata::of(&declaration);
    let executor = match text(input(case, "declaration"), "executor") {
        "client" => DeclaredExecutor::Client,
        _ => DeclaredExecutor::Host,
    };
    let host = Arc::new(Noted { target: None, executor: ScriptedExecutor::of(input(case, "executor")) });
    let action = ToolAction {
        call: &call,
        executor,
        runtime: &runtime,
        context: &context,
        run: "",
        action: "",
        key: "",
        report: Report::unheard(),
    };
    match wait(ClientRouter(host.clone()).execute(action)) {
        Ok(reply) => {
            // Only whether the host was asked is compared: its call is in normal form by then.
            let calls = host.calls().into_iter().map(|_| json!({ "tool_call": input(case, "tool_call") }));
            Ok(json!({ "result": reply, "calls": calls.collect::<Vec<_>>() }))
        }
        Err(ExecutorError::Refused(error)) => Err(error.to_value()),
        Err(error) => Err(json!({ "code": "executor", "message": error.to_string() })),
    }
}

/// An executor that says for which target it was asked.
struct Noted {
    target: Option<String>,
    executor: ScriptedExecutor,
}

fn carried_out(case: &Value, call: &ToolCall, tool: &Tool<'_>) -> Answer {
    let default = Arc::new(Noted { target: None, executor: ScriptedExecutor::of(input(case, "executor")) });
    let targets = object(case, "targets").into_iter().map(|(target, script)| {
        let executor = ScriptedExecutor::of(&script);
        (target.clone(), Arc::new(Noted { target: Some(target), executor }))
    });
    let targets: Vec<_> = targets.collect();
    let registered =
        targets.iter().map(|(target, noted)| (target.clone(), noted.clone() as Arc<dyn ToolExecutor>));
    let executors = Executors::new(default.clone()).with_targets(registered);
    let context = Object::new();
    let executor = DeclaredExecutor::Host;
    let action = ToolAction {
        call,
        executor,
        runtime: &tool.runtime,
        context: &context,
        run: "",
        action: "",
        key: "",
        report: Report::unheard(),
    };
    let reply = wait(executors.execute(action));
    let calls = targets.iter().map(|(_, noted)| noted).chain([&default]).flat_map(|noted| noted.calls());
    Ok(json!({ "result": result_of(tool, reply)?.to_value(), "calls": calls.collect::<Vec<_>>() }))
}

impl Noted {
    fn calls(&self) -> Vec<Value> {
        let note = |call: Value| match &self.target {
            Some(target) => json!({ "tool_call": call, "target": target }),
            None => json!({ "tool_call": call }),
        };
        self.executor.calls.asked().into_iter().map(note).collect()
    }
}

impl ToolExecutor for Noted {
    fn execute<'a>(
        &'a self,
        action: ToolAction<'a>,
    ) -> provost_runtime::port::Boxed<'a, Result<Value, ExecutorError>> {
        self.executor.calls.note(action.call.to_value());
        Box::pin(async move { self.executor.reply(action.call.tool_name()) })
    }
}
