//! What the model wants to see of a result. A wish: budget, privacy and safety are stronger.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::CODE;
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// How much of a result returns to the model.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReturnToModel {
    /// The status alone.
    None,
    /// A short summary.
    #[default]
    Summary,
    /// The structured fields.
    Structured,
    /// Chosen excerpts.
    Excerpt,
    /// All of it, as far as the budget goes.
    Full,
    /// Details only when it failed.
    OnFailure,
    /// A summary and a reference to ask for more.
    OnDemand,
    /// The runtime chooses inside the budget, by the given priority.
    Adaptive,
}

/// The whole wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPolicy {
    /// How much returns.
    pub return_to_model: ReturnToModel,
    /// Whether the full output is kept and can be referenced.
    pub store_full: bool,
    /// What matters most when not all of it fits.
    pub priority: Vec<String>,
    /// The most tokens wanted; at least one.
    pub max_tokens: Option<u64>,
    /// What to do when it was cut, in the model's words.
    pub if_truncated: Option<String>,
}

impl Default for ResultPolicy {
    fn default() -> Self {
        ReturnToModel::default().into()
    }
}

impl From<ReturnToModel> for ResultPolicy {
    fn from(return_to_model: ReturnToModel) -> Self {
        Self { return_to_model, store_full: true, priority: Vec::new(), max_tokens: None, if_truncated: None }
    }
}

impl ResultPolicy {
    /// Reads a policy object, or the bare word of how much returns.
    pub fn parse(value: &Value) -> Result<Self> {
        let field = "result_policy.return_to_model";
        let raw = match value {
            Value::String(_) => return Ok(read::word::<ReturnToModel>(CODE, field, value)?.into()),
            Value::Object(raw) => raw,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                return Err(ContractError::field(CODE, "result_policy", "must be an object or a word"));
            }
        };
        let known = ["return_to_model", "store_full", "priority", "max_tokens", "if_truncated"];
        read::only_keys(CODE, "result_policy", raw, &known)?;
        let mut policy = Self::default();
        if let Some(word) = read::present(raw, "return_to_model") {
            policy.return_to_model = read::word(CODE, field, word)?;
        }
        policy.read_details(raw)?;
        Ok(policy)
    }

    fn read_details(&mut self, raw: &Object) -> Result<()> {
        let refuse = |field: &str, reason: &str| {
            Err(ContractError::field(CODE, format!("result_policy.{field}"), reason))
        };
        match read::present(raw, "store_full") {
            None => {}
            Some(Value::Bool(store)) => self.store_full = *store,
            Some(_) => return refuse("store_full", "must be true or false"),
        }
        if let Some(list) = read::present(raw, "priority") {
            self.priority = read::texts(CODE, "result_policy.priority", list)?;
        }
        match read::present(raw, "max_tokens").map(Value::as_u64) {
            None => {}
            Some(Some(tokens)) if tokens > 0 => self.max_tokens = Some(tokens),
            Some(_) => return refuse("max_tokens", "must be an integer of at least 1"),
        }
        match read::present(raw, "if_truncated") {
            None => {}
            Some(Value::String(wish)) if !wish.trim().is_empty() => {
                self.if_truncated = Some(wish.trim().to_owned());
            }
            Some(_) => return refuse("if_truncated", "must be a text"),
        }
        Ok(())
    }

    /// The wire form; what was not wished is left out.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "return_to_model": self.return_to_model, "store_full": self.store_full });
        if let Some(map) = wire.as_object_mut() {
            if !self.priority.is_empty() {
                map.insert("priority".into(), json!(self.priority));
            }
            if let Some(tokens) = self.max_tokens {
                map.insert("max_tokens".into(), tokens.into());
            }
            if let Some(wish) = &self.if_truncated {
                map.insert("if_truncated".into(), wish.as_str().into());
            }
        }
        wire
    }
}

impl serde::Serialize for ResultPolicy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for ResultPolicy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(serde::de::Error::custom)
    }
}
