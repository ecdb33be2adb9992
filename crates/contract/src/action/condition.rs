//! `when`: an action that runs only if others ended a certain way.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ActionId, ActionStatus, CODE};
use crate::{ContractError, Result, json as read};

/// How the other action must have ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ConditionStatus {
    /// As wanted.
    Completed,
    /// With an error.
    Failed,
    /// It could not go on.
    Blocked,
}

impl From<ConditionStatus> for ActionStatus {
    fn from(status: ConditionStatus) -> Self {
        match status {
            ConditionStatus::Completed => Self::Completed,
            ConditionStatus::Failed => Self::Failed,
            ConditionStatus::Blocked => Self::Blocked,
        }
    }
}

/// One condition: a dependency and how it must have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The dependency.
    pub action: ActionId,
    /// How it must have ended.
    pub status: ConditionStatus,
}

impl Condition {
    /// Reads one condition or a list of them; all must hold.
    pub fn parse_all(value: &Value) -> Result<Vec<Self>> {
        match value {
            Value::Array(items) if !items.is_empty() => items
                .iter()
                .enumerate()
                .map(|(index, item)| Self::parse(&format!("when.{index}"), item))
                .collect(),
            Value::Object(_) => Ok(vec![Self::parse("when", value)?]),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(ContractError::field(CODE, "when", "must be {action, status} or a list of them"))
            }
        }
    }

    fn parse(path: &str, value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, path, "must be {action, status}"));
        };
        read::only_keys(CODE, path, raw, &["action", "status"])?;
        let Ok(action) = ActionId::parse(read::text(raw, "action").unwrap_or_default()) else {
            return Err(ContractError::field(
                CODE,
                format!("{path}.action"),
                "must be the id of a dependency",
            ));
        };
        let status = raw.get("status").unwrap_or(&Value::Null);
        Ok(Self { action, status: read::word(CODE, &format!("{path}.status"), status)? })
    }

    /// The wire form `{action, status}`.
    pub fn to_value(&self) -> Value {
        json!({ "action": self.action, "status": self.status })
    }
}
