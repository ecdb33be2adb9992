//! A request to install, upgrade or remove an instance of a declared agent.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use super::{AgentDefinition, CODE, installed, instance_key};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose};

/// What is asked for; the wire words are the kebab-case names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Operation {
    /// Make it.
    #[default]
    Install,
    /// Bring it to the declared version.
    Upgrade,
    /// Make what is there what was declared.
    Reconcile,
    /// Show it without making it.
    Project,
    /// Take it away.
    Uninstall,
    /// Say what would be done.
    DryRun,
}

/// A request in normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterializationRequest {
    /// What is asked for.
    pub operation: Operation,
    /// Whose the instance is.
    pub owner: Option<UserId>,
    /// Never empty.
    instance_key: String,
    /// What the instance is configured to do.
    pub config: Value,
    /// What the caller noted about the request.
    pub context: Object,
}

impl MaterializationRequest {
    /// Reads a request for a declared agent. Its configuration goes over the declared one, key by key and
    /// place by place, unless the request says to take it alone.
    pub fn parse(agent: &AgentDefinition, raw: &Object) -> Result<Self> {
        let config = json::container_or_empty(checked_config(raw)?);
        let adopts_default = json::present(raw, "adopt_default_config").is_none_or(loose::flag);
        let instance = raw.get("instance_key").and_then(loose::text).unwrap_or_default();
        Ok(Self {
            operation: parse_operation(raw)?,
            owner: installed::owner(raw),
            instance_key: instance_key::of_installed(&instance),
            config: if adopts_default { merged(agent.default_config().clone(), config) } else { config },
            context: json::object_or_empty(raw, "context"),
        })
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "operation": self.operation,
            "owner_user_id": self.owner,
            "instance_key": self.instance_key,
            "config": self.config,
            "context": self.context,
        })
    }
}

fn parse_operation(raw: &Object) -> Result<Operation> {
    let Some(operation) = json::present(raw, "operation") else { return Ok(Operation::default()) };
    let word = loose::text(operation).unwrap_or_default();
    word.parse().map_err(|_| {
        let words = "install, upgrade, reconcile, project, uninstall, or dry-run";
        refused(&format!("operation must be {words}"), "operation")
    })
}

fn checked_config(raw: &Object) -> Result<Option<&Value>> {
    json::optional_container(CODE, "config", raw).map_err(|_| refused("config must be an array", "config"))
}

fn refused(reason: &str, field: &str) -> ContractError {
    ContractError::with_message(CODE, format!("Agent materialization {reason}.")).about(field)
}

/// Puts one value over another: objects key by key, lists place by place, anything else instead. What is
/// empty has nothing to put over a list or an object.
fn merged(base: Value, over: Value) -> Value {
    match (base, over) {
        (Value::Object(base), Value::Array(over)) if over.is_empty() => Value::Object(base),
        (Value::Array(base), Value::Object(over)) if over.is_empty() => Value::Array(base),
        (Value::Object(mut base), Value::Object(over)) => {
            for (key, value) in over {
                let below = base.get_mut(&key).map(Value::take).unwrap_or_default();
                base.insert(key, merged(below, value));
            }
            Value::Object(base)
        }
        (Value::Array(mut base), Value::Array(over)) => {
            let tail = base.split_off(over.len().min(base.len()));
            let below = base.into_iter().chain(std::iter::repeat(Value::Null));
            below.zip(over).map(|(below, value)| merged(below, value)).chain(tail).collect()
        }
        (_, over) => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_empties_nothing_below_it_but_null_does() {
        let base = json!({ "limits": { "a": 1 }, "tools": ["x"], "tone": "kind" });
        let empty = json!({ "limits": [], "tools": {} });
        assert_eq!(merged(base.clone(), empty), base);
        let nulls = json!({ "limits": null, "tone": [] });
        assert_eq!(merged(base, nulls), json!({ "limits": null, "tools": ["x"], "tone": [] }));
    }
}
