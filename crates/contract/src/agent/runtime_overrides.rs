//! What an agent wants otherwise than its host would do it.

use serde::Serialize;

use crate::json::Object;
use crate::loose;

/// The overrides of an agent; what is none is left to the host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RuntimeOverrides {
    /// What the model is told first.
    pub system_prompt: Option<String>,
    /// Whose model answers.
    pub provider_id: Option<String>,
    /// Which model answers.
    pub model_id: Option<String>,
    /// How freely it answers.
    pub temperature: Option<f64>,
    /// How many turns it may take; never zero.
    pub max_iterations: Option<usize>,
    /// The tools it sees from the start.
    pub tier_1_tools: Vec<String>,
    /// How it greets.
    pub greeting: Option<String>,
}

impl RuntimeOverrides {
    /// Reads overrides; what makes no sense overrides nothing.
    pub fn parse(raw: &Object) -> Self {
        let text = |key| raw.get(key).and_then(loose::text);
        Self {
            system_prompt: text("system_prompt"),
            provider_id: text("provider_id"),
            model_id: text("model_id"),
            temperature: raw.get("temperature").and_then(loose::number),
            max_iterations: raw.get("max_iterations").and_then(loose::count).filter(|count| *count > 0),
            tier_1_tools: raw.get("tier_1_tools").map(loose::text_list).unwrap_or_default(),
            greeting: text("greeting"),
        }
    }
}
