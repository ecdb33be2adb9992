//! How a model is to answer: what is configured, and what one request wants otherwise.

use provost_contract::json::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Reasoning, ToolChoice};
use crate::{Fault, FaultKind};

/// Whether a model may call several tools in one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParallelCalls {
    /// As the provider does by itself.
    #[default]
    Allowed,
    /// One at a time.
    OneAtATime,
}

/// Whether a provider that must be told so keeps the beginning of the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptCache {
    /// Marks the end of the instructions and of the transcript: the next turn begins with both.
    #[default]
    FiveMinutes,
    /// The same, kept for an hour.
    OneHour,
    /// Marks nothing.
    Off,
}

/// How to answer. Everything but the model has a default of ours or of the provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The provider's name of the model.
    pub model: String,
    /// How many tokens an answer may have, thinking included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How much chance there is in the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Whether to call a tool.
    #[serde(default)]
    pub tool_choice: ToolChoice,
    /// How many tools to call at once.
    #[serde(default)]
    pub parallel_calls: ParallelCalls,
    /// How much to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    /// What to keep between turns.
    #[serde(default)]
    pub prompt_cache: PromptCache,
    /// Fields of the provider's request that have no word here; they win over what we write.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub extra: Object,
}

/// The settings one request may change. Other words of a request are its host's.
const CHANGEABLE: [&str; 8] = [
    "model",
    "max_tokens",
    "temperature",
    "tool_choice",
    "parallel_calls",
    "reasoning",
    "prompt_cache",
    "extra",
];

impl Settings {
    /// Nothing but the model.
    pub fn of(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            max_tokens: None,
            temperature: None,
            tool_choice: ToolChoice::Auto,
            parallel_calls: ParallelCalls::Allowed,
            reasoning: None,
            prompt_cache: PromptCache::FiveMinutes,
            extra: Object::new(),
        }
    }

    /// These settings with what one request wants otherwise.
    pub(crate) fn changed_by(&self, wanted: &Object) -> Result<Self, Fault> {
        let refused = |why: String| Fault::new(FaultKind::BadRequest, why);
        let Ok(Value::Object(mut settings)) = serde_json::to_value(self) else {
            return Err(refused("the settings of the model cannot be written as JSON".to_owned()));
        };
        for key in CHANGEABLE {
            if let Some(value) = wanted.get(key).filter(|value| !value.is_null()) {
                settings.insert(key.to_owned(), value.clone());
            }
        }
        serde_json::from_value(Value::Object(settings))
            .map_err(|error| refused(format!("the request's model settings are not usable: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use provost_contract::json;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_changes_what_it_names_and_leaves_the_hosts_words_alone() {
        let settings = Settings { temperature: Some(0.5), ..Settings::of("one") };
        let wanted = json::into_object(json!({ "model": "two", "tool_choice": "required", "provider": "x" }));
        let expected =
            Settings { model: "two".to_owned(), tool_choice: ToolChoice::Required, ..settings.clone() };
        assert_eq!(settings.changed_by(&wanted), Ok(expected));
    }

    #[test]
    fn a_setting_of_the_wrong_kind_is_refused_by_name() {
        let wanted = json::into_object(json!({ "max_tokens": "many" }));
        let fault = Settings::of("one").changed_by(&wanted).unwrap_err();
        assert_eq!(fault.kind, FaultKind::BadRequest);
        assert!(fault.message.contains("many"), "{fault}");
    }
}
