//! The request for a run.

use provost_contract::ContractError;
use provost_contract::json::{self, Object};
use provost_engine::event::Mode;
use provost_engine::{Actor, ProtocolSettings, RunId};
use provost_runtime::store::SessionRow;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::principal::Principal;
use super::{output, principal};
use crate::model::NamedModels;
use crate::{Agent, CallRule};

/// The number of equal failures of one call after which the model is asked to try something else.
const FAILURES_MAX: u64 = 3;

/// A request to start a run. A `&str` is a request to the only agent.
///
/// ```
/// use provost::Request;
/// let request = Request::new("Where is the invoice?").agent("clerk").workspace("acme").key("order-7");
/// # drop(request);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub(super) agent: Option<String>,
    pub(super) run: Option<RunId>,
    pub(super) messages: Vec<Value>,
    pub(super) session: Option<String>,
    pub(super) context: Object,
    pub(super) about: Object,
    principal: Option<Value>,
    pub(super) options: Object,
    pub(super) key: Option<String>,
    pub(super) by: Option<Actor>,
    pub(super) output: Option<Value>,
    pub(super) after: Option<RunId>,
    pub(super) speaks: Option<Mode>,
}

impl Request {
    /// Creates a request with a message of the user.
    ///
    /// ```
    /// let request = provost::Request::new("Go.");
    /// # drop(request);
    /// ```
    pub fn new(text: &str) -> Self {
        Self { messages: vec![json!({ "role": "user", "content": text })], ..Self::default() }
    }

    /// Creates a request that continues a transcript.
    ///
    /// ```
    /// let said = vec![serde_json::json!({ "role": "user", "content": "Go." })];
    /// let request = provost::Request::from_messages(said);
    /// # drop(request);
    /// ```
    pub fn from_messages(messages: Vec<Value>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Sets the agent.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").agent("clerk");
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn agent(mut self, name: &str) -> Self {
        self.agent = Some(name.to_owned());
        self
    }

    /// Sets how the model of this run requests work, in place of what its agent says.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").speaks(provost::Mode::Protocol);
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn speaks(mut self, mode: Mode) -> Self {
        self.speaks = Some(mode);
        self
    }

    /// Names a run whose completed actions count as completed earlier, for [`Runtime::execute`](crate::Runtime::execute):
    /// a declaration may depend on them and refer to their results.
    ///
    /// ```
    /// let request = provost::Request::default().after("run-7".parse().unwrap());
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn after(mut self, run: RunId) -> Self {
        self.after = Some(run);
        self
    }

    /// Sets the run's id; the default is a generated one. The id must not exist
    /// ([`StartError::RunExists`](crate::StartError::RunExists)).
    ///
    /// ```
    /// let request = provost::Request::new("Go.").run("run-7".parse().unwrap());
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn run(mut self, run: RunId) -> Self {
        self.run = Some(run);
        self
    }

    /// Sets the session; one run at a time is active in it.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").session("5f7c");
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn session(mut self, session: &str) -> Self {
        self.session = Some(session.to_owned());
        self
    }

    /// Adds a value to the caller's context, which tools can read. Secrets in it are never recorded.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").context("user", "ada".into());
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn context(mut self, key: &str, value: Value) -> Self {
        self.context.insert(key.to_owned(), value);
        self
    }

    /// Sets the workspace that owns the run.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").workspace("acme");
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn workspace(mut self, workspace: &str) -> Self {
        self.about.insert("workspace".to_owned(), workspace.into());
        self
    }

    /// Sets the principal, in the wire format of an execution principal; a malformed one, or an unknown
    /// field, is an error when the run starts. The default is the program itself, as user 1.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").principal(serde_json::json!({
    ///     "auth_source": "user", "acting_user_id": 7, "owner_type": "user", "owner_key": "ada",
    /// }));
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn principal(mut self, principal: Value) -> Self {
        self.principal = Some(principal);
        self
    }

    /// Sets an option by its wire name, for this run; it overrides the agent's. A `policy` cannot
    /// permit what the agent's policy forbids.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").option("limits", serde_json::json!({ "parallel_max": 2 }));
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn option(mut self, name: &str, value: Value) -> Self {
        self.options.insert(name.to_owned(), value);
        self
    }

    /// Requires an answer of a type, also from an agent with tools. An answer that does not match the
    /// type's schema goes back to the model with the reasons, at most twice; then the run fails.
    /// [`Outcome::output`](crate::Outcome::output) returns the value.
    ///
    /// ```
    /// #[derive(serde::Deserialize, provost::JsonSchema)]
    /// struct Report { city: String, beds: u32 }
    /// let request = provost::Request::new("Where are the beds?").output::<Report>();
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn output<T: JsonSchema + DeserializeOwned>(mut self) -> Self {
        self.output = Some(output::request_of::<T>());
        self
    }

    /// Requires an answer that matches a JSON Schema.
    ///
    /// ```
    /// let schema = serde_json::json!({ "type": "object", "required": ["city"] });
    /// let request = provost::Request::new("Where?").output_schema(schema);
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output = Some(json!({ "schema": schema, "strict": false }));
        self
    }

    /// Sets an idempotency key: the same key with an equal request returns the run that it started.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").key("order-7");
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Sets the actor that requests the run. The default is the embedding program.
    ///
    /// ```
    /// let request = provost::Request::new("Go.").by(provost::Actor::new(provost::ActorKind::Person, "user:ada"));
    /// # drop(request);
    /// ```
    #[must_use]
    pub fn by(mut self, actor: impl Into<Actor>) -> Self {
        self.by = Some(actor.into());
        self
    }

    /// Fills the workspace and the agent from the session, if the request names none.
    pub(super) fn in_session(&mut self, session: &SessionRow) {
        let about = &session.about;
        self.about.entry("workspace").or_insert_with(|| about.workspace.as_str().into());
        if self.agent.is_none() && !about.agent.is_empty() {
            self.agent = Some(about.agent.clone());
        }
    }

    pub(super) fn actor(&self) -> Actor {
        self.by.clone().unwrap_or_else(crate::library)
    }

    /// Returns the options of the run for an agent and its tools.
    pub(super) fn options(&self, agent: &Agent, principal: &Principal, tools: Value, run: &RunId) -> Object {
        let mut about = self.about.clone();
        about.insert("agent".to_owned(), agent.name.as_str().into());
        about.insert("principal".to_owned(), principal.to_value());
        let mut context = self.context.clone();
        context.insert("run_id".to_owned(), run.as_str().into());
        let policy = policy(agent, principal, &tools);
        let mut options = json::into_object(json!({
            "max_turns": agent.max_turns,
            "budgets": agent.budgets,
            "context": context,
            "tool_declarations": tools,
            "about": about,
            "argument_check": "schema",
            "policy": policy,
        }));
        let speaks = self.speaks.unwrap_or(agent.speaks);
        if speaks != Mode::Plain {
            options.insert("speaks".to_owned(), json!(speaks));
        }
        if agent.protocol != ProtocolSettings::default() {
            options.insert("protocol".to_owned(), json!(agent.protocol));
        }
        if agent.repetition_limit > 0 {
            options.insert("spin_detector".to_owned(), json!({ "threshold": agent.repetition_limit }));
            options.insert("identical_failure_tracker".to_owned(), json!({ "threshold": FAILURES_MAX }));
        }
        options.extend(agent.options.clone());
        of_agent_alone(agent, &mut options);
        let of_agent = json::object_or_empty(&options, "policy");
        let mut model = json::object_or_empty(&options, "model");
        options.extend(self.options.clone());
        if let Some(own) = json::object(&self.options, "model") {
            model.extend(own.clone());
            options.insert("model".to_owned(), model.into());
        }
        let own = json::object_or_empty(&self.options, "policy");
        options.insert("policy".to_owned(), within(of_agent, own).into());
        options
    }

    /// Returns the policy of an agent's runs in its wire format: which tools it sees, and how they may
    /// run. `tools` are declarations by name.
    ///
    /// ```
    /// let agent = provost::Agent::new("helper").mode("review");
    /// let policy = provost::Request::default().policy(&agent, &serde_json::json!({})).unwrap();
    /// assert_eq!(policy["mode"], "review");
    /// ```
    ///
    /// # Errors
    /// If the principal of the request is invalid.
    pub fn policy(&self, agent: &Agent, tools: &Value) -> Result<Object, ContractError> {
        Ok(policy(agent, &self.checked_principal(agent)?, tools))
    }

    /// Parses the principal of the request for an agent.
    pub(super) fn checked_principal(&self, agent: &Agent) -> Result<Principal, ContractError> {
        principal::read(self.principal.as_ref(), &agent.name)
    }
}

fn policy(agent: &Agent, principal: &Principal, tools: &Value) -> Object {
    let mut policy = agent.policy.clone();
    // The host offers its clients' tools itself; the caller did not supply them.
    policy.entry("runtime_tools").or_insert_with(|| clients_tools(tools));
    policy.insert("principal".to_owned(), principal.to_value());
    policy
}

/// Returns the options that an agent sets through its methods.
fn of_agent_alone(agent: &Agent, options: &mut Object) {
    if !agent.rules.is_empty() {
        let rules: Vec<Value> = agent.rules.iter().map(CallRule::to_value).collect();
        options.insert("tool_call_rules".to_owned(), rules.into());
    }
    options.extend(agent.tiers.iter().map(|tiers| ("tool_tiers".to_owned(), tiers.to_value())));
    if let Some(name) = &agent.model {
        let mut wanted = json::object_or_empty(options, "model");
        NamedModels::choose(&mut wanted, name);
        options.insert("model".to_owned(), wanted.into());
    }
}

/// Merges a request's policy into the agent's. It may change what runs directly and what asks. What
/// the agent's policy forbids stays forbidden, so those entries are added again.
fn within(of_agent: Object, own: Object) -> Object {
    let mut policy = of_agent.clone();
    policy.extend(own);
    for key in ["principal", "approvers"] {
        policy.extend(of_agent.get(key).map(|said| (key.to_owned(), said.clone())));
    }
    if let Some(said) = of_agent.get("action_policy") {
        let mut config = json::object_or_empty(&policy, "agent_config");
        config.insert("action_policy".to_owned(), said.clone());
        policy.insert("agent_config".to_owned(), config.into());
    }
    policy
}

fn clients_tools(tools: &Value) -> Value {
    let entries = tools.as_object().into_iter().flatten();
    let clients = entries.filter(|(_, tool)| tool.get("executor").is_some_and(|word| word == "client"));
    clients.map(|(name, _)| name.clone()).collect()
}

impl From<&str> for Request {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}
