//! The envelope of a full declaration.

use provost_contract::json::{self, Object};
use provost_contract::policies::Policies;
use provost_contract::{ContractError, Result};
use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::version::VERSION;

const CODE: &str = "invalid_schema";

/// The purpose of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Intent {
    /// Execute the actions.
    Execute,
    /// Check and show the actions; nothing runs.
    Plan,
    /// Show more of a stored record or artifact.
    ExpandRef,
    /// Cancel a run.
    Cancel,
    /// Replace the rest of a run.
    Revise,
    /// Decide about a blocked or failed action.
    Decide,
    /// Write a report.
    Report,
}

/// Whether the run must survive a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// It exists only during the turn.
    Ephemeral,
    /// It is stored before it runs.
    Durable,
}

/// The execution strategy of the graph.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    /// All ready actions, in parallel.
    #[default]
    Dag,
    /// One after the other.
    Sequential,
}

/// The envelope, without its payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// The version: `1`, or a minor version of it.
    pub version: String,
    /// The purpose.
    pub intent: Intent,
    /// Whether actions are stored before they run, by default.
    pub persist: bool,
    /// The title for people.
    pub title: Option<String>,
    /// The execution strategy.
    pub strategy: Strategy,
    /// The model's preference for its later answer.
    pub response_policy: Object,
    /// Policies for every action.
    pub policies: Policies,
    /// The fields of a minor version that have no meaning here, by their JSON pointer in the declaration.
    pub unknown_fields: Object,
}

impl Envelope {
    /// Returns whether the run must survive a restart; it follows `persist`.
    pub fn mode(&self) -> Mode {
        if self.persist { Mode::Durable } else { Mode::Ephemeral }
    }

    /// Parses the fields next to the payload of an intent.
    pub(super) fn read(raw: &Object, version: &str, intent: Intent) -> Result<Self> {
        let persist = match json::present(raw, "persist") {
            None => false,
            Some(Value::Bool(persist)) => *persist,
            Some(_) => return Err(ContractError::field(CODE, "persist", "must be true or false")),
        };
        let mut envelope = Self {
            version: version.to_owned(),
            intent,
            persist,
            title: json::optional_text(CODE, "title", raw)?,
            strategy: Strategy::default(),
            response_policy: json::optional_object(CODE, "response_policy", raw)?,
            policies: match json::present(raw, "policies") {
                None => Policies::default(),
                Some(policies) => Policies::parse(policies)?,
            },
            unknown_fields: Object::new(),
        };
        envelope.read_execution(&json::optional_object(CODE, "execution", raw)?)?;
        Ok(envelope)
    }

    fn read_execution(&mut self, raw: &Object) -> Result<()> {
        json::only_keys(CODE, "execution", raw, &["mode", "strategy"])?;
        if let Some(word) = json::present(raw, "mode")
            && json::word::<Mode>(CODE, "execution.mode", word)? != self.mode()
        {
            return Err(ContractError::field(
                CODE,
                "execution.mode",
                "contradicts persist: durable goes with persist true, ephemeral with persist false",
            ));
        }
        if let Some(word) = json::present(raw, "strategy") {
            self.strategy = json::word(CODE, "execution.strategy", word)?;
        }
        Ok(())
    }

    /// Returns the wire form `{intent, persist, title, execution: {mode, strategy}, …}`; a minor version
    /// stands in it with its unknown fields.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "intent": self.intent,
            "persist": self.persist,
            "title": self.title,
            "execution": { "mode": self.mode(), "strategy": self.strategy },
        });
        if let Some(map) = wire.as_object_mut() {
            if self.version != VERSION {
                map.insert("version".into(), self.version.as_str().into());
            }
            if !self.unknown_fields.is_empty() {
                map.insert("unknown_fields".into(), Value::Object(self.unknown_fields.clone()));
            }
            if !self.response_policy.is_empty() {
                map.insert("response_policy".into(), Value::Object(self.response_policy.clone()));
            }
            if self.policies != Policies::default() {
                map.insert("policies".into(), self.policies.to_value());
            }
        }
        wire
    }
}
