//! A model's decision about a run that cannot continue by itself.

use provost_contract::action::ActionId;
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

const CODE: &str = "invalid_schema";

/// The choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Choice {
    /// Retry the action.
    Retry,
    /// Skip the action.
    Skip,
    /// Abort the run.
    Abort,
    /// Continue past the action.
    Continue,
    /// Ask the user.
    AskUser,
}

/// A decision and its subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The run.
    pub run_id: String,
    /// The choice.
    pub choice: Choice,
    /// The action, if it concerns one.
    pub action_id: Option<ActionId>,
    /// The reason.
    pub reason: Option<String>,
}

impl Decision {
    /// Parses `{type: "decision", run_id, choice, action_id?, reason?}`.
    pub(crate) fn read(raw: &Object) -> Result<Self> {
        json::only_keys(CODE, "", raw, &["type", "run_id", "choice", "action_id", "reason"])?;
        if json::text(raw, "type") != Some("decision") {
            return Err(ContractError::field(CODE, "type", "must be decision"));
        }
        Ok(Self {
            run_id: read_run_id(raw)?,
            choice: json::word(CODE, "choice", raw.get("choice").unwrap_or(&Value::Null))?,
            action_id: match json::optional_text(CODE, "action_id", raw)? {
                None => None,
                Some(id) => {
                    let bad = |_| ContractError::field(CODE, "action_id", "must be the id of an action");
                    Some(ActionId::parse(&id).map_err(bad)?)
                }
            },
            reason: json::optional_text(CODE, "reason", raw)?,
        })
    }

    /// Returns the wire form `{run_id, choice, action_id, reason}`.
    pub fn to_value(&self) -> Value {
        json!({
            "run_id": self.run_id,
            "choice": self.choice,
            "action_id": self.action_id,
            "reason": self.reason,
        })
    }
}

/// Returns the run that a declaration concerns.
pub(super) fn read_run_id(raw: &Object) -> Result<String> {
    match json::trimmed_text(raw, "run_id") {
        Some(run_id) => Ok(run_id.to_owned()),
        None => Err(ContractError::field(CODE, "run_id", "must name the run this is about")),
    }
}

/// Parses `{run_id, reason?}`; `type` is optional and must be `cancel`.
pub(super) fn read_cancel(raw: &Object) -> Result<(String, Option<String>)> {
    json::only_keys(CODE, "", raw, &["type", "run_id", "reason"])?;
    if json::present(raw, "type").is_some_and(|word| word != "cancel") {
        return Err(ContractError::field(CODE, "type", "must be cancel"));
    }
    Ok((read_run_id(raw)?, json::optional_text(CODE, "reason", raw)?))
}
