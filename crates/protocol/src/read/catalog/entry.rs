//! One executor of a turn.

use provost_contract::action::{ExecutorType, Idempotency, SideEffects};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde::Serialize;
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ArgumentFault, ArgumentSchema};

const CODE: &str = "invalid_catalog";

/// The permission that the agent's rules give an executor, ordered by severity.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Permission {
    /// It may run.
    Allow,
    /// A person is asked first.
    Ask,
    /// It may not run.
    Deny,
}

/// Whether an executor is available, ordered by preference.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Availability {
    /// Available.
    #[default]
    Available,
    /// Available, but busy.
    Busy,
    /// Not available.
    Unavailable,
}

/// An executor: its name, its capabilities and its effects.
#[derive(Debug)]
pub struct Entry {
    /// Its class.
    pub kind: ExecutorType,
    /// Its name, unique in the class.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Its capabilities.
    pub capabilities: Vec<String>,
    /// Its effects.
    pub side_effects: SideEffects,
    /// Whether a call may be repeated.
    pub idempotency: Idempotency,
    /// The permission that the agent's rules give, if known.
    pub permission: Option<Permission>,
    /// Whether it is available.
    pub availability: Availability,
    /// The cost of a call, in millionths of the account's currency, if known.
    pub cost_micros: Option<u64>,
    /// The JSON Schema of its input; `None` accepts any object.
    pub input_schema: Option<ArgumentSchema>,
}

impl Entry {
    /// Creates an executor with a name and no other declarations.
    pub fn new(kind: ExecutorType, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            description: None,
            capabilities: Vec::new(),
            side_effects: SideEffects::Unknown,
            idempotency: Idempotency::None,
            permission: None,
            availability: Availability::default(),
            cost_micros: None,
            input_schema: None,
        }
    }

    /// Parses an entry; `kind` is the default for entries without a type.
    pub(super) fn parse(value: &Value, kind: Option<ExecutorType>) -> Result<Self> {
        let raw =
            value.as_object().ok_or_else(|| ContractError::whole(CODE, "an entry must be an object"))?;
        let Some(name) = json::trimmed_text(raw, "name") else {
            return Err(ContractError::field(CODE, "name", "must be a text that is not blank"));
        };
        let kind = match kind {
            Some(kind) => kind,
            None => json::word(CODE, "type", raw.get("type").unwrap_or(&Value::Null))?,
        };
        let mut entry = Self::new(kind, name);
        entry.read_details(raw).map_err(|error| {
            ContractError::with_message(CODE, format!("{CODE}: {name}: {}", error.message())).about(name)
        })?;
        Ok(entry)
    }

    fn read_details(&mut self, raw: &Object) -> Result<()> {
        self.description = json::optional_text(CODE, "description", raw)?;
        if let Some(words) = json::present(raw, "capabilities") {
            self.capabilities = json::texts(CODE, "capabilities", words)?;
        }
        self.side_effects = SideEffects::parse(raw.get("side_effects").unwrap_or(&Value::Null))?;
        if let Some(word) = json::present(raw, "idempotency") {
            self.idempotency = json::word(CODE, "idempotency", word)?;
        }
        self.permission =
            json::present(raw, "permission").map(|word| json::word(CODE, "permission", word)).transpose()?;
        if let Some(word) = json::present(raw, "availability") {
            self.availability = json::word(CODE, "availability", word)?;
        }
        self.cost_micros = match json::present(raw, "cost_micros").map(Value::as_u64) {
            None => None,
            Some(Some(cost)) => Some(cost),
            Some(None) => return Err(ContractError::field(CODE, "cost_micros", "must be a whole number")),
        };
        self.input_schema = json::present(raw, "input_schema").map(ArgumentSchema::compile).transpose()?;
        Ok(())
    }

    /// Checks resolved arguments completely; empty if they match. The schema is the one that the declaration
    /// was accepted with.
    pub fn argument_faults(&self, arguments: &Object) -> Vec<ArgumentFault> {
        let schema = self.input_schema.as_ref();
        schema.map(|schema| schema.faults(&Value::Object(arguments.clone()))).unwrap_or_default()
    }

    /// Returns whether it offers this capability.
    pub fn offers(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|offered| offered == capability)
    }
}
