//! The declared agents of a host, in order of declaration.

use super::{AgentDefinition, CODE};
use crate::json::Object;
use crate::{ContractError, Result, loose, slug};

/// Where an agent may say it comes from: the key of its meta, and the word in a notice.
const PROVENANCE: [(&str, &str); 4] = [
    ("source_plugin", "plugin"),
    ("source_type", "type"),
    ("source_package", "package"),
    ("source_version", "version"),
];

/// Declared agents. Names are turned into slugs before anything is looked up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentRegistry {
    agents: Vec<AgentDefinition>,
}

impl AgentRegistry {
    /// Declares an agent and gives what its author should know: arguments that were ignored. The first
    /// declaration of a slug stays; a later one is refused and told where the first came from.
    pub fn register(&mut self, name: &str, arguments: &Object) -> Result<Vec<String>> {
        if let Ok(existing) = self.get(name) {
            return Err(already_registered(existing));
        }
        let agent = AgentDefinition::parse(name, arguments)?;
        let notices = AgentDefinition::unknown_arguments(arguments)
            .map(|key| format!("Property \"{key}\" is not a valid property for agent \"{}\".", agent.slug()))
            .collect();
        self.agents.push(agent);
        Ok(notices)
    }

    /// Finds an agent.
    pub fn get(&self, name: &str) -> Result<&AgentDefinition> {
        let slug = slug(name);
        self.agents.iter().find(|agent| agent.slug() == slug).ok_or_else(|| not_found(&slug))
    }

    /// Takes an agent out.
    pub fn unregister(&mut self, name: &str) -> Result<AgentDefinition> {
        let slug = slug(name);
        let place = self.agents.iter().position(|agent| agent.slug() == slug);
        place.map(|place| self.agents.remove(place)).ok_or_else(|| not_found(&slug))
    }

    /// The agents, in order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = &AgentDefinition> {
        self.agents.iter()
    }
}

fn not_found(slug: &str) -> ContractError {
    ContractError::with_message(CODE, format!("Agent \"{slug}\" not found.")).about("slug")
}

fn already_registered(existing: &AgentDefinition) -> ContractError {
    let said = |(key, word): (&str, &str)| {
        let text = existing.meta().get(key).and_then(loose::text)?;
        Some(format!("{word}={text}"))
    };
    let sources: Vec<String> = PROVENANCE.into_iter().filter_map(said).collect();
    let mut message = format!("Agent \"{}\" is already registered.", existing.slug());
    if !sources.is_empty() {
        message = format!("{message} Existing source: {}.", sources.join(", "));
    }
    ContractError::with_message(CODE, message).about("slug")
}
