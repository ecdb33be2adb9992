//! The agents of a play, the same in every worker.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::tool::ToolCatalog;
use provost_engine::{Agent, AgentSpec, Digest};
use provost_runtime::actor::Agents;
use serde_json::{Value, json};

use super::scenario::Scenario;
use crate::Failure;

/// The agent that a person talks to.
pub(super) const HELPER: &str = "helper";
/// The agent that work is delegated to.
pub(super) const CHILD: &str = "child";

/// Name, side effects, idempotency, and who executes it.
const TOOLS: &[(&str, &str, &str, &str)] = &[
    ("garden/look", "read", "pure", "host"),
    ("garden/smell", "read", "pure", "host"),
    ("garden/measure", "read", "none", "host"),
    ("garden/note", "write", "keyed", "host"),
    ("garden/water", "write", "none", "host"),
    ("garden/plant", "write", "none", "host"),
    ("garden/grow", "write", "none", "host"),
    ("garden/paint", "write", "transactional", "host"),
    ("client/open", "read", "pure", "client"),
    ("client/ring", "write", "none", "client"),
];

/// The agents of a process.
pub(super) struct Known(BTreeMap<&'static str, Arc<Agent>>);

impl Known {
    /// Returns the agents of a scenario, which are read once.
    pub(super) fn of(scenario: &Scenario) -> Result<Arc<Self>, Failure> {
        if let Some(known) = scenario.agents.get() {
            return Ok(known.clone());
        }
        let known = Arc::new(Self::read(scenario)?);
        Ok(scenario.agents.get_or_init(|| known).clone())
    }

    fn read(scenario: &Scenario) -> Result<Self, Failure> {
        let mut known = BTreeMap::new();
        for name in [HELPER, CHILD] {
            let mut spec = AgentSpec {
                name: name.to_owned(),
                tools: ToolCatalog::read(&declarations()).to_value(),
                policy: scenario.policy.as_object().cloned().unwrap_or_default(),
                ..AgentSpec::default()
            };
            (scenario.shape_agent)(&mut spec);
            known.insert(name, Arc::new(Agent::new(spec)?));
        }
        Ok(Self(known))
    }

    /// Returns the agent that a person talks to.
    pub(super) fn get(&self, name: &str) -> Result<Arc<Agent>, Failure> {
        self.today(name).ok_or_else(|| format!("there is no agent {name}").into())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Agent>> {
        self.0.values()
    }
}

impl Agents for Known {
    fn compiled(&self, digest: Digest) -> Option<Arc<Agent>> {
        self.all().find(|agent| agent.digest == digest).cloned()
    }

    fn today(&self, name: &str) -> Option<Arc<Agent>> {
        self.0.get(name).cloned()
    }
}

fn declarations() -> Value {
    let declaration = |(name, effects, idempotency, executor): &(&str, &str, &str, &str)| {
        let mut declaration = json!({
            "name": name,
            "source": name.split('/').next(),
            "description": format!("Does what {name} says."),
            "parameters": { "type": "object", "properties": { "bed": { "type": "integer" } } },
            "side_effects": [effects],
            "idempotency": idempotency,
        });
        if let Some(declaration) = declaration.as_object_mut().filter(|_| *executor == "client") {
            declaration.insert("executor".to_owned(), (*executor).into());
        }
        declaration
    };
    TOOLS.iter().map(declaration).collect()
}
