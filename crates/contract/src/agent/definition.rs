//! The declaration of an agent.

use serde_json::{Value, json};

use super::{CODE, RuntimeOverrides};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose, slug};

/// What a declaration may say; anything else is ignored, and the registry tells whoever declared it.
const ARGUMENTS: [&str; 10] = [
    "label",
    "description",
    "memory_seeds",
    "owner_user_id",
    "default_config",
    "supports_conversation_compaction",
    "conversation_compaction_policy",
    "runtime_overrides",
    "meta",
    "subagents",
];

/// A declared agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentDefinition {
    /// Never empty.
    slug: String,
    /// What people call it.
    pub label: String,
    /// What it is for.
    pub description: String,
    /// The files its memory starts with: file name and where its text is.
    memory_seeds: Object,
    /// Who owns it, when the declaration says so.
    pub owner: Option<UserId>,
    /// A list or object.
    default_config: Value,
    /// Whether long conversations with it may be shortened.
    pub supports_conversation_compaction: bool,
    /// A list or object.
    conversation_compaction_policy: Value,
    /// What it wants otherwise than its host would do it.
    pub runtime_overrides: RuntimeOverrides,
    /// A list or object.
    meta: Value,
    /// The slugs of the agents it may hand work to, in its author's order.
    subagents: Vec<String>,
}

impl AgentDefinition {
    /// Reads a declaration under a name, which becomes a slug.
    pub fn parse(name: &str, arguments: &Object) -> Result<Self> {
        let slug = slug(name);
        if slug.is_empty() {
            return Err(ContractError::with_message(CODE, "Agent slug cannot be empty.").about("slug"));
        }
        let scalar = |key| arguments.get(key).and_then(loose::scalar).filter(|text| !text.is_empty());
        let overrides = container(arguments, "runtime_overrides")?.and_then(Value::as_object);
        Ok(Self {
            label: scalar("label").unwrap_or_else(|| slug.clone()),
            slug,
            description: scalar("description").unwrap_or_default(),
            memory_seeds: memory_seeds(container(arguments, "memory_seeds")?),
            owner: json::present(arguments, "owner_user_id")
                .map(|id| UserId::numeric(id).unwrap_or_default()),
            default_config: json::container_or_empty(container(arguments, "default_config")?),
            supports_conversation_compaction: arguments
                .get("supports_conversation_compaction")
                .is_some_and(loose::flag),
            conversation_compaction_policy: json::container_or_empty(container(
                arguments,
                "conversation_compaction_policy",
            )?),
            runtime_overrides: overrides.map(RuntimeOverrides::parse).unwrap_or_default(),
            meta: json::container_or_empty(container(arguments, "meta")?),
            subagents: subagents(container(arguments, "subagents")?),
        })
    }

    /// The arguments that say nothing to us, in order.
    pub(super) fn unknown_arguments(arguments: &Object) -> impl Iterator<Item = &String> {
        arguments.keys().filter(|key| !ARGUMENTS.contains(&key.as_str()))
    }

    /// What names it.
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The configuration it starts with.
    pub fn default_config(&self) -> &Value {
        &self.default_config
    }

    /// How long conversations with it are shortened, in its author's words.
    pub fn conversation_compaction_policy(&self) -> &Value {
        &self.conversation_compaction_policy
    }

    /// Where it comes from, and whatever else its author noted.
    pub fn meta(&self) -> &Value {
        &self.meta
    }

    /// The agents it may hand work to.
    pub fn subagents(&self) -> &[String] {
        &self.subagents
    }

    /// Whether it has agents to hand work to.
    pub fn is_coordinator(&self) -> bool {
        !self.subagents.is_empty()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "slug": self.slug,
            "label": self.label,
            "description": self.description,
            "memory_seeds": self.memory_seeds,
            "default_config": self.default_config,
            "supports_conversation_compaction": self.supports_conversation_compaction,
            "conversation_compaction_policy": self.conversation_compaction_policy,
            "runtime_overrides": self.runtime_overrides,
            "meta": self.meta,
            "subagents": self.subagents,
            "has_owner_resolver": self.owner.is_some(),
            "is_coordinator": self.is_coordinator(),
        })
    }
}

fn container<'a>(arguments: &'a Object, key: &str) -> Result<Option<&'a Value>> {
    let expected = if key == "subagents" { "an array of slugs" } else { "an array" };
    json::optional_container(CODE, key, arguments).map_err(|_| {
        ContractError::with_message(CODE, format!("Agent {key} property must be {expected}.")).about(key)
    })
}

/// Files without a name or a place are left out. A name is a file's own, never a way to another folder.
fn memory_seeds(seeds: Option<&Value>) -> Object {
    let seeds = seeds.and_then(Value::as_object).into_iter().flatten();
    let named = seeds.filter_map(|(name, place)| {
        let name = name.rsplit(['/', '\\']).next().filter(|name| !["", ".", ".."].contains(name))?;
        let place = loose::scalar(place).filter(|place| !place.is_empty())?;
        Some((name.to_owned(), place.into()))
    });
    named.collect()
}

fn subagents(names: Option<&Value>) -> Vec<String> {
    let names: Vec<&Value> = match names {
        Some(Value::Array(names)) => names.iter().collect(),
        Some(Value::Object(names)) => names.values().collect(),
        Some(_) | None => Vec::new(),
    };
    let slugs = names.into_iter().filter_map(|name| loose::scalar(name).map(|name| slug(&name)));
    slugs.filter(|slug| !slug.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn define(arguments: Value) -> Result<AgentDefinition> {
        AgentDefinition::parse("Coach", &json::into_object(arguments))
    }

    #[test]
    fn a_memory_file_cannot_name_another_folder() {
        let seeds =
            json!({"../../etc/passwd": "a", "notes\\MEMORY.md": "b", "..": "c", "x/": "d", "SOUL.md": 5});
        let agent = define(json!({"memory_seeds": seeds})).unwrap();
        assert_eq!(
            agent.to_value()["memory_seeds"],
            json!({"passwd": "a", "MEMORY.md": "b", "SOUL.md": "5"})
        );
    }

    #[test]
    fn every_structured_argument_is_checked() {
        let structured = [
            "memory_seeds",
            "default_config",
            "conversation_compaction_policy",
            "runtime_overrides",
            "meta",
            "subagents",
        ];
        for key in structured {
            assert_eq!(define(json!({key: "x"})).unwrap_err().field_paths(), [key]);
            assert!(define(json!({key: {}})).is_ok(), "{key}");
        }
    }

    #[test]
    fn an_owner_who_is_no_user_is_nobody_but_declared() {
        let owner = |id: Value| define(json!({"owner_user_id": id})).unwrap().owner;
        assert_eq!(owner(json!("12")), Some(UserId::new(12)));
        assert_eq!(owner(json!("nobody")), Some(UserId::NOBODY));
        assert_eq!(owner(json!(null)), None);
    }
}
