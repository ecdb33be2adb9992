//! Whether a model must call a tool.

use serde::{Deserialize, Serialize};

/// Whether and what to call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As the model sees fit.
    #[default]
    Auto,
    /// No tool.
    None,
    /// Some tool.
    Required,
    /// This tool, by its canonical name.
    Tool(String),
}
