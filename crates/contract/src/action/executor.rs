//! Who an action asks for: a class of executor, a target, and the capabilities it needs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::CODE;
use crate::{ContractError, Result, json as read};

const AUTO: &str = "auto";

/// The six classes of executor.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExecutorType {
    /// A bounded function of the system.
    Tool,
    /// Another agent, with judgement of its own.
    Agent,
    /// A control operation of the runtime itself.
    Runtime,
    /// A person who decides.
    Human,
    /// A fixed sequence of steps.
    Pipeline,
    /// A system outside.
    Service,
}

/// A named executor, or the runtime's choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// The runtime chooses by type and capabilities.
    #[default]
    Auto,
    /// Exactly this one.
    Named(String),
}

impl Target {
    /// Reads a target; `auto` is the runtime's choice.
    pub fn from_name(name: &str) -> Self {
        if name == AUTO { Self::Auto } else { Self::Named(name.to_owned()) }
    }

    /// The wire word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Auto => AUTO,
            Self::Named(name) => name,
        }
    }

    /// The name, when one was given.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Auto => None,
            Self::Named(name) => Some(name),
        }
    }
}

/// The executor an action asks for; the runtime decides last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutorRef {
    /// The class; none means that the runtime chooses.
    pub kind: Option<ExecutorType>,
    /// The executor inside its class.
    pub target: Target,
    /// What the executor must be able to do.
    pub capabilities: Vec<String>,
}

impl ExecutorRef {
    /// The reference to one executor by name.
    pub fn named(kind: ExecutorType, name: impl Into<String>) -> Self {
        Self { kind: Some(kind), target: Target::Named(name.into()), capabilities: Vec::new() }
    }

    /// Reads `{type, target?, capabilities?}`; a null type leaves the choice to the runtime.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, "executor", "must be an object"));
        };
        read::only_keys(CODE, "executor", raw, &["type", "target", "capabilities"])?;
        let kind =
            read::present(raw, "type").map(|word| read::word(CODE, "executor.type", word)).transpose()?;
        let target = match read::present(raw, "target") {
            None => Target::Auto,
            Some(Value::String(name)) if !name.trim().is_empty() => Target::from_name(name.trim()),
            Some(_) => {
                return Err(ContractError::field(CODE, "executor.target", "must be a name or auto"));
            }
        };
        let capabilities = match read::present(raw, "capabilities") {
            None => Vec::new(),
            Some(list) => read::texts(CODE, "executor.capabilities", list)?,
        };
        Ok(Self { kind, target, capabilities })
    }

    /// The wire form `{type, target, capabilities}`.
    pub fn to_value(&self) -> Value {
        json!({ "type": self.kind, "target": self.target.as_str(), "capabilities": self.capabilities })
    }
}
