//! The identity of one instance of an agent.

use serde_json::{Value, json};

use super::{AgentDefinition, CODE, instance_key};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose, slug};

/// Which instance of which agent, and whose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdentityScope {
    /// Never empty.
    agent_slug: String,
    owner: UserId,
    /// Never empty.
    instance_key: String,
}

impl IdentityScope {
    /// Names an instance; slug and key are brought into their normal form and must not be empty then.
    pub fn new(agent: &str, owner: UserId, instance: &str) -> Result<Self> {
        let (agent_slug, instance_key) = (slug(agent), instance_key::of_identity(instance));
        for (field, text) in [("agent_slug", &agent_slug), ("instance_key", &instance_key)] {
            if text.is_empty() {
                let message = format!("Agent identity scope {field} cannot be empty.");
                return Err(ContractError::with_message(CODE, message).about(field));
            }
        }
        Ok(Self { agent_slug, owner, instance_key })
    }

    /// Reads `{agent_slug, owner_user_id?, instance_key?}`.
    pub fn parse(raw: &Object) -> Result<Self> {
        let text = |key| raw.get(key).and_then(loose::scalar);
        let owner = json::present(raw, "owner_user_id");
        let owner = owner.map(|owner| UserId::parse(owner, CODE, "owner_user_id")).transpose()?;
        let instance = text("instance_key").unwrap_or_else(|| instance_key::DEFAULT.to_owned());
        Self::new(&text("agent_slug").unwrap_or_default(), owner.unwrap_or_default(), &instance)
    }

    /// The map key `<slug>:<owner>:<instance>`.
    pub fn key(&self) -> String {
        format!("{}:{}:{}", self.agent_slug, self.owner, self.instance_key)
    }
}

/// The record a store keeps of an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentIdentity {
    /// The number the store gave it.
    pub id: u64,
    /// Which instance.
    pub scope: IdentityScope,
    /// What it is configured to do: a list or object.
    config: Value,
    /// Where it comes from: a list or object.
    meta: Value,
    /// When it was made, in the store's words.
    pub created_at: Option<String>,
    /// When it last changed, in the store's words.
    pub updated_at: Option<String>,
}

impl AgentIdentity {
    /// Makes the record of a declared agent. Options may name another owner or instance, and add to its meta.
    pub fn materialize(agent: &AgentDefinition, options: &Object, id: u64) -> Result<Self> {
        let owner = options.get("owner_user_id").and_then(UserId::numeric).or(agent.owner);
        let instance = options.get("instance_key").and_then(loose::text);
        let instance = instance.as_deref().unwrap_or(instance_key::DEFAULT);
        Ok(Self {
            id,
            scope: IdentityScope::new(agent.slug(), owner.unwrap_or_default(), instance)?,
            config: agent.default_config().clone(),
            meta: overlaid(agent.meta(), json::object(options, "meta")),
            created_at: None,
            updated_at: None,
        })
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "agent_slug": self.scope.agent_slug,
            "owner_user_id": self.scope.owner,
            "instance_key": self.scope.instance_key,
            "config": self.config,
            "meta": self.meta,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        })
    }
}

fn overlaid(base: &Value, overlay: Option<&Object>) -> Value {
    let mut meta = base.clone();
    match (meta.as_object_mut(), overlay) {
        (Some(meta), Some(overlay)) => meta.extend(overlay.clone()),
        (None, Some(overlay)) if !overlay.is_empty() => return Value::Object(overlay.clone()),
        (Some(_) | None, Some(_) | None) => {}
    }
    meta
}
