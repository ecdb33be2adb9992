//! The door of a run: what a caller asks for becomes what the engine works by.

use std::sync::Arc;

use provost_contract::agent::RuntimeOverrides;
use provost_contract::json::{self, Object};
use provost_contract::structured_output::StructuredOutputRequest;
use provost_contract::tool::ToolCatalog;
use provost_contract::{ContractError, Message, Result, compaction, loose, sensitivity};
use provost_policy::tool_call_gate::{GateRule, normalize_rules};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Host;
use crate::engine::{BudgetSpec, SessionSpec, Spec, Tools};

const CODE: &str = "invalid_run_options";
const STRUCTURED_OUTPUT_CODE: &str = "invalid_agent_structured_output_request";
const LOCK_TTL_SECONDS: i64 = 300;
const SESSION_KEYS: [&str; 3] = ["transcript_session_id", "session_id", "transcript_id"];

/// An accepted run: what is journalled of it, and the caller's context, which is not.
#[derive(Clone, Debug)]
pub struct Start {
    /// What the engine works by.
    pub spec: Box<Spec>,
    /// The caller's context, raw.
    pub context: Object,
    /// The tools in it.
    pub(super) tools: Arc<Tools>,
}

impl Start {
    /// Reads a caller's options for a transcript, as far as the host can serve them.
    ///
    /// # Errors
    /// When a message or the request for structured output is malformed.
    pub fn read(messages: &[Value], options: &Object, host: &Host) -> Result<Self> {
        let declared = options.get("tool_declarations").unwrap_or(&Value::Null);
        let policy = json::object_or_empty(options, "policy");
        let limits = part(options, "limits")?;
        let read = host.known_tools.read(declared, json::object(options, "policy"), limits);
        let structured_output = structured_output(options, &read.tools.catalog, host)?;
        let overrides =
            json::object(options, "runtime_overrides").map(RuntimeOverrides::parse).unwrap_or_default();
        let context = context(options, &overrides);
        let threshold = |key: &str, field: &str| {
            json::object(options, key)
                .map(|given| given.get(field).and_then(loose::integer).unwrap_or_default())
        };
        let spec = Box::new(Spec {
            run: String::new(),
            messages: shared(Message::parse_many(messages)?),
            max_turns: max_turns(options, &overrides),
            context: json::into_object(sensitivity::redact_names(&Value::Object(context.clone()))),
            tools: read.wire,
            has_executor: host.executors.is_some(),
            budgets: budgets(options),
            compaction: compaction_policy(options, host),
            result_bytes_max: threshold("tool_result_truncator", "max_bytes"),
            spin_threshold: threshold("spin_detector", "threshold"),
            failure_threshold: threshold("identical_failure_tracker", "threshold"),
            tool_call_rules: gate_rules(options),
            session: session(options),
            structured_output,
            model: model(options, &context),
            asks: host.asks(),
            about: part(options, "about")?,
            policy,
            visibility: read.visibility,
            limits,
            arguments: part(options, "argument_check")?,
        });
        Ok(Self { spec, context, tools: read.tools })
    }
}

/// The messages one by one: collected in place, the list would keep the room they took as one.
fn shared(messages: Vec<Message>) -> Vec<Arc<Message>> {
    let mut shared: Vec<_> = messages.into_iter().map(Arc::new).collect();
    shared.shrink_to_fit();
    shared
}

/// A part of the options that has a shape of its own.
fn part<T: DeserializeOwned + Default>(options: &Object, key: &str) -> Result<T> {
    let Some(given) = json::present(options, key) else { return Ok(T::default()) };
    let refused = |error: serde_json::Error| ContractError::field(CODE, key, &error.to_string());
    serde_json::from_value(given.clone()).map_err(refused)
}

fn structured_output(options: &Object, catalog: &ToolCatalog, host: &Host) -> Result<Option<Value>> {
    let Some(asked) = json::present(options, "structured_output") else { return Ok(None) };
    let request = StructuredOutputRequest::parse(asked)?;
    if host.executors.is_some() && !catalog.tools().is_empty() {
        let reason = "structured output requires a no-tools, non-streaming turn";
        return Err(ContractError::whole(STRUCTURED_OUTPUT_CODE, reason));
    }
    Ok(Some(request.to_value()))
}

/// What is overridden is also context.
fn context(options: &Object, overrides: &RuntimeOverrides) -> Object {
    let mut context = json::object_or_empty(options, "context");
    let says = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    context.extend(json::into_object(json!(overrides)).into_iter().filter(|(_, value)| says(value)));
    context
}

/// At least one turn; an override of the agent's iterations is one of its turns.
fn max_turns(options: &Object, overrides: &RuntimeOverrides) -> u64 {
    let overridden = overrides.max_iterations.map(|turns| turns as u64);
    let given = options.get("max_turns").and_then(loose::count).map(|turns| turns as u64);
    overridden.or(given).unwrap_or(1).max(1)
}

/// The model the caller names outright goes before the one in its context.
fn model(options: &Object, context: &Object) -> Object {
    let in_context = ["provider_id", "model_id"].into_iter();
    let named = in_context.filter_map(|key| Some((key.to_owned(), json::trimmed_text(context, key)?.into())));
    let mut model: Object = named.collect();
    model.extend(json::object_or_empty(options, "model"));
    model
}

fn budgets(options: &Object) -> Vec<BudgetSpec> {
    let given = json::list(options, "budgets").into_iter().flatten().filter_map(Value::as_object);
    let read = |budget: &Object| {
        let number = |key: &str| budget.get(key).and_then(loose::integer).unwrap_or_default();
        let name = json::non_empty_text(budget, "name")?.to_owned();
        Some(BudgetSpec { name, ceiling: number("ceiling"), current: number("current") })
    };
    given.filter_map(read).collect()
}

/// Without somebody who sums up, nothing is shortened.
fn compaction_policy(options: &Object, host: &Host) -> Option<Object> {
    host.summariser.as_ref()?;
    let policy = json::object(options, "compaction_policy")?;
    Some(compaction::Policy::parse(policy).to_object())
}

fn gate_rules(options: &Object) -> Vec<Value> {
    let rules = json::list(options, "tool_call_rules").map_or(&[][..], Vec::as_slice);
    normalize_rules(rules).iter().map(GateRule::to_value).collect()
}

/// The session is named by the options, or else by the metadata of the request; a blank name is none.
fn session(options: &Object) -> Option<SessionSpec> {
    let metadata = json::object(options, "request").and_then(|request| json::object(request, "metadata"));
    let named = |holder: &Object| {
        SESSION_KEYS.into_iter().find_map(|key| json::trimmed_text(holder, key).map(str::to_owned))
    };
    let id = named(options).or_else(|| named(metadata?))?;
    let ttl = options.get("transcript_lock_ttl").and_then(loose::integer).unwrap_or(LOCK_TTL_SECONDS).max(1);
    Some(SessionSpec { id, lock_ttl_seconds: ttl.unsigned_abs() })
}
