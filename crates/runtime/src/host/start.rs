//! A caller's options, read into a run that can be accepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::agent::RuntimeOverrides;
use provost_contract::json::{self, Object};
use provost_contract::policies::Policies;
use provost_contract::structured_output::StructuredOutputRequest;
use provost_contract::{ContractError, Message, Result, loose, sensitivity};
use provost_engine::event::{Continuation, HookSet, Limits, Mode, ModelUse, RunSpec};
use provost_engine::{Actor, Agent, ProtocolSettings, RunId, SessionId, WhenBusy};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::compiled::AgentOptions;
use super::{ContinueBy, Host};
use crate::dispatch::NewRunRequest;

const CODE: &str = "invalid_run_options";
const STRUCTURED_OUTPUT_CODE: &str = "invalid_agent_structured_output_request";
/// How often a model may correct a declaration that is refused.
const REFUSALS: u32 = 1;
const SESSION_KEYS: [&str; 3] = ["transcript_session_id", "session_id", "transcript_id"];

/// A run that a caller asks for.
#[derive(Clone, Debug)]
pub struct Start {
    /// The agent.
    pub agent: Arc<Agent>,
    /// The run, without secrets.
    pub spec: RunSpec,
    /// The session that the options name.
    pub session: Option<String>,
    /// The caller's context with its secrets. It is written nowhere.
    pub context: Object,
}

/// Whose run it is.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct About {
    workspace: String,
    agent: String,
    principal: Value,
}

/// How much at once, and how long.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LimitOptions {
    parallel_max: Option<u32>,
    model_ms_max: Option<u64>,
    tool_ms_max: Option<u64>,
    hook_ms_max: Option<u64>,
    approval_ms_max: Option<u64>,
}

impl Start {
    /// Reads a caller's options for a transcript, as far as the host can serve them. The instructions stand
    /// before every transcript.
    ///
    /// # Errors
    /// If a message, an option or the request for structured output is malformed, or a tool declares something of
    /// itself that cannot be read.
    pub fn read(
        messages: &[Value],
        options: &Object,
        host: &Host,
        (run, instructions): (RunId, &[Arc<Message>]),
    ) -> Result<Self> {
        let overrides =
            json::object(options, "runtime_overrides").map(RuntimeOverrides::parse).unwrap_or_default();
        let context = context(options, &overrides);
        let about: About = part(options, "about")?;
        let limits = Limits { model_failures: host.backoff.attempts.max(1), ..limits(options, &overrides)? };
        let agent = host.compiled.agent(AgentOptions {
            name: &about.agent,
            instructions,
            model: model(options, &context),
            tools: options.get("tool_declarations").unwrap_or(&Value::Null),
            policy: json::object(options, "policy"),
            call_rules: json::list(options, "tool_call_rules").map_or(&[], Vec::as_slice),
            compaction: json::object(options, "compaction_policy").filter(|_| host.summariser.is_some()),
            truncator: json::object(options, "tool_result_truncator"),
            tiers: json::object(options, "tool_tiers"),
            executes: host.executors.is_some(),
            arguments: part(options, "argument_check")?,
            protocol: protocol(options)?,
        })?;
        let mode: Mode = part(options, "speaks")?;
        let limits = if mode == Mode::Protocol { Limits { refusals: REFUSALS, ..limits } } else { limits };
        let output_schema = structured_output(options, &agent, host)?;
        let input = Message::parse_many(messages)?;
        let spec = RunSpec {
            run,
            agent: about.agent,
            compiled: agent.digest,
            policy: agent.policy_digest(),
            principal: about.principal,
            workspace: about.workspace,
            mode,
            model: ModelUse::Asked,
            input: input.into_iter().map(Arc::new).collect(),
            context: json::into_object(sensitivity::redact_names(&Value::Object(context.clone()))),
            session: None,
            parent: None,
            forked: None,
            limits,
            budgets: budgets(options, |budget| number(budget, "ceiling").max(1)),
            budgets_used: budgets(options, |budget| number(budget, "current")),
            hooks: hooks(host),
            output_schema,
            labels: BTreeMap::new(),
        };
        Ok(Self { agent, spec, session: session(options), context })
    }

    /// Asks for an answer that is JSON of a given shape, beside tools too: an answer that does not fit is refused, and
    /// the model is asked again.
    pub fn wants(&mut self, output: &StructuredOutputRequest) {
        self.spec.output_schema = Some(output.to_value());
    }

    /// Returns the request for the run, in the session that the options name.
    ///
    /// # Errors
    /// If the session has no usable name.
    pub fn request(&self, by: Actor) -> Result<NewRunRequest> {
        let mut request = NewRunRequest::new(self.spec.clone(), self.agent.clone(), by);
        let session = self.session.as_ref().map(|session| session.parse::<SessionId>()).transpose();
        let session =
            session.map_err(|error| ContractError::field(CODE, "session_id", &error.to_string()))?;
        request.session = session.map(|session| (session, WhenBusy::Refuse));
        Ok(request)
    }
}

/// How the agent takes part in the agent protocol. Its policies are read here, so that a word that would not count is
/// refused before anything runs.
fn protocol(options: &Object) -> Result<ProtocolSettings> {
    let settings: ProtocolSettings = part(options, "protocol")?;
    for said in [&settings.runtime_policies, &settings.policies] {
        Policies::parse(&Value::Object(said.clone()))?;
    }
    Ok(settings)
}

/// A part of the options that has a shape of its own.
fn part<T: DeserializeOwned + Default>(options: &Object, key: &str) -> Result<T> {
    let Some(given) = json::present(options, key) else { return Ok(T::default()) };
    let refused = |error: serde_json::Error| ContractError::field(CODE, key, &error.to_string());
    serde_json::from_value(given.clone()).map_err(refused)
}

fn structured_output(options: &Object, agent: &Agent, host: &Host) -> Result<Option<Value>> {
    let Some(asked) = json::present(options, "structured_output") else { return Ok(None) };
    let request = StructuredOutputRequest::parse(asked)?;
    if host.executors.is_some() && !agent.catalog.tools().is_empty() {
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

/// The model that the caller names outright goes before the one in its context.
fn model(options: &Object, context: &Object) -> Object {
    let in_context = ["provider_id", "model_id"].into_iter();
    let named = in_context.filter_map(|key| Some((key.to_owned(), json::trimmed_text(context, key)?.into())));
    let mut model: Object = named.collect();
    model.extend(json::object_or_empty(options, "model"));
    model
}

fn limits(options: &Object, overrides: &RuntimeOverrides) -> Result<Limits> {
    let given: LimitOptions = part(options, "limits")?;
    let usual = Limits::default();
    let threshold = |key: &str| {
        let given = json::object(options, key).map(|given| number(given, "threshold"));
        given.map(|given| u32::try_from(given.max(2)).unwrap_or(u32::MAX))
    };
    Ok(Limits {
        turns: max_turns(options, overrides),
        parallel: given.parallel_max.unwrap_or(usual.parallel).max(1),
        model_ms: given.model_ms_max.unwrap_or(usual.model_ms),
        tool_ms: given.tool_ms_max.unwrap_or(usual.tool_ms),
        hook_ms: given.hook_ms_max.unwrap_or(usual.hook_ms),
        wait_ms: given.approval_ms_max,
        repetitions: threshold("spin_detector"),
        equal_failures: threshold("identical_failure_tracker"),
        ..usual
    })
}

/// At least one turn; an override of the agent's iterations is one of its turns.
fn max_turns(options: &Object, overrides: &RuntimeOverrides) -> u32 {
    let overridden = overrides.max_iterations.map(|turns| turns as u64);
    let given = options.get("max_turns").and_then(loose::count).map(|turns| turns as u64);
    u32::try_from(overridden.or(given).unwrap_or(1).max(1)).unwrap_or(u32::MAX)
}

/// An amount of the budgets by name; of two with one name the last one counts.
fn budgets(options: &Object, amount: impl Fn(&Object) -> i64) -> BTreeMap<String, u64> {
    let given = json::list(options, "budgets").into_iter().flatten().filter_map(Value::as_object);
    let read = |budget: &Object| {
        let name = json::non_empty_text(budget, "name")?.to_owned();
        Some((name, u64::try_from(amount(budget)).unwrap_or_default()))
    };
    given.filter_map(read).collect()
}

fn number(given: &Object, key: &str) -> i64 {
    given.get(key).and_then(loose::integer).unwrap_or_default()
}

fn hooks(host: &Host) -> HookSet {
    HookSet {
        policy: host.policy.is_some(),
        mediate: host.mediator.is_some(),
        before_model: host.before_model.is_some(),
        after_model: host.after_model.is_some(),
        completion: host.completion.is_some(),
        interrupt: host.interrupts.is_some(),
        after_tool: host.diagnostics.is_some(),
        preview: host.executors.is_some(),
        continuation: match host.continuation {
            ContinueBy::Calls => Continuation::WhileCalling,
            ContinueBy::Nobody => Continuation::Never,
            ContinueBy::Policy(_) => Continuation::Asked,
        },
        ..HookSet::default()
    }
}

/// The session is named by the options, or else by the metadata of the request; a blank name is none.
fn session(options: &Object) -> Option<String> {
    let metadata = json::object(options, "request").and_then(|request| json::object(request, "metadata"));
    let named = |holder: &Object| {
        SESSION_KEYS.into_iter().find_map(|key| json::trimmed_text(holder, key).map(str::to_owned))
    };
    named(options).or_else(|| named(metadata?))
}
