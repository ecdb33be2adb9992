//! One adapter an area: a case's input becomes a call of the crates' public functions.

mod action_policy;
mod approvals;
mod caller_context;
mod citation_metadata;
mod compaction;
mod compaction_conservation;
mod compaction_item;
mod conversation_loop;
mod conversation_request;
mod conversation_result;
mod conversation_sessions;
mod execution_principal;
mod identical_failure_tracker;
mod iteration_budget;
mod markdown_section_compaction;
mod message;
mod protocol;
mod provider_turn_result;
mod registry;
mod run_outcome;
mod run_result_envelope;
mod runtime_tool_lifecycle;
mod spin_detector;
mod structured_output;
mod tasks;
mod tokens_and_authorization;
mod tool_audit;
mod tool_bridge;
mod tool_call;
mod tool_call_gate;
mod tool_declaration;
mod tool_execution_core;
mod tool_executor_registry;
mod tool_mediation;
mod tool_pair_validator;
mod tool_parameters;
mod tool_result;
mod tool_result_truncator;
mod tool_source_registry;
mod tool_tiers;
mod tool_visibility_policy;
mod workspace_scope;

use provost_contract::json::Object;
use serde_json::{Value, json};

use super::compare;

/// What a call gave: a value, or an error as `{code, message, fields?}`.
pub(super) type Answer = Result<Value, Value>;

/// How an area is run and compared.
pub(super) struct Area {
    /// Runs an operation on a case's input.
    pub(super) run: fn(&str, &Value) -> Answer,
    /// Lists the differences between a case's expectation and the answer.
    pub(super) compare: fn(&str, &Value, &Answer) -> Vec<String>,
}

/// The adapter of an area.
pub(super) fn find(area: &str) -> Option<Area> {
    let exact = |run| Some(Area { run, compare: compare::exact });
    match area {
        "action-policy" => exact(action_policy::run),
        "approvals" => exact(approvals::run),
        "caller-context" => exact(caller_context::run),
        "citation-metadata" => exact(citation_metadata::run),
        "compaction" => exact(compaction::run),
        "compaction-conservation" => exact(compaction_conservation::run),
        "compaction-item" => exact(compaction_item::run),
        "conversation-loop" => exact(conversation_loop::run),
        "conversation-request" => exact(conversation_request::run),
        "conversation-result" => exact(conversation_result::run),
        "conversation-sessions" => exact(conversation_sessions::run),
        "execution-principal" => exact(execution_principal::run),
        "identical-failure-tracker" => exact(identical_failure_tracker::run),
        "iteration-budget" => exact(iteration_budget::run),
        "markdown-section-compaction" => exact(markdown_section_compaction::run),
        "message" => exact(message::run),
        "protocol" => Some(Area { run: protocol::run, compare: protocol::differences }),
        "provider-turn-result" => exact(provider_turn_result::run),
        "registry" => exact(registry::run),
        "run-outcome" => exact(run_outcome::run),
        "run-result-envelope" => exact(run_result_envelope::run),
        "runtime-tool-lifecycle" => exact(runtime_tool_lifecycle::run),
        "spin-detector" => exact(spin_detector::run),
        "structured-output" => exact(structured_output::run),
        "tasks" => exact(tasks::run),
        "tokens-and-authorization" => exact(tokens_and_authorization::run),
        "tool-audit" => exact(tool_audit::run),
        "tool-bridge" => exact(tool_bridge::run),
        "tool-call" => exact(tool_call::run),
        "tool-call-gate" => exact(tool_call_gate::run),
        "tool-declaration" => exact(tool_declaration::run),
        "tool-execution-core" => exact(tool_execution_core::run),
        "tool-executor-registry" => exact(tool_executor_registry::run),
        "tool-mediation" => exact(tool_mediation::run),
        "tool-pair-validator" => exact(tool_pair_validator::run),
        "tool-parameters" => exact(tool_parameters::run),
        "tool-result" => exact(tool_result::run),
        "tool-result-truncator" => exact(tool_result_truncator::run),
        "tool-source-registry" => exact(tool_source_registry::run),
        "tool-tiers" => exact(tool_tiers::run),
        "tool-visibility-policy" => exact(tool_visibility_policy::run),
        "workspace-scope" => exact(workspace_scope::run),
        _ => None,
    }
}

/// The answer to an operation nobody knows: always a failure.
fn unknown_operation(op: &str) -> Answer {
    Err(json!({ "code": "unknown_operation", "message": format!("no adapter runs the operation {op}") }))
}

/// The input under `key`; null when it is absent.
fn input<'a>(case: &'a Value, key: &str) -> &'a Value {
    case.get(key).unwrap_or(&Value::Null)
}

/// The text under `key`; empty when it is absent.
fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    input(case, key).as_str().unwrap_or_default()
}

/// The object under `key`; empty when it is absent.
fn object(case: &Value, key: &str) -> Object {
    input(case, key).as_object().cloned().unwrap_or_default()
}

/// The list under `key`; empty when it is absent.
fn list<'a>(case: &'a Value, key: &str) -> &'a [Value] {
    input(case, key).as_array().map_or(&[], Vec::as_slice)
}

/// Runs what a service does to its end.
#[expect(clippy::expect_used, reason = "without an executor nothing can be said about any case")]
pub(super) fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("an executor of one thread");
    runtime.block_on(work)
}
