//! What the model may see of an outcome.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{ActionStatus, CODE};
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// Who made the text that stands for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SummaryLevel {
    /// Structured facts of the tool, such as counts and exit codes.
    ToolNative,
    /// The runtime, by counting and cutting.
    Mechanical,
    /// The executor, in its own words.
    Executor,
    /// A summariser that read the whole output.
    Summariser,
}

/// How the content is to be read.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ContentFormat {
    /// Text.
    #[default]
    Markdown,
    /// One whole JSON value.
    Json,
}

/// How much of a text is left, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// What is shown.
    pub shown: u64,
    /// What there is.
    pub total: u64,
}

/// A result as the model may see it: shaped, redacted and cut already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Where the action stands.
    pub status: ActionStatus,
    /// Where the rest can be asked for.
    pub artifacts: Vec<String>,
    /// What it came to; empty when the status says it all.
    pub content: String,
    /// How the content is to be read.
    pub format: ContentFormat,
    /// Set when the content is not all that was asked for.
    pub cut: Option<Cut>,
    /// Who made the content, when it is a summary.
    pub level: Option<SummaryLevel>,
    /// Set when a policy keeps the result from the model.
    pub withheld: bool,
}

impl Observation {
    /// A status and nothing else.
    pub fn new(status: ActionStatus) -> Self {
        Self {
            status,
            artifacts: Vec::new(),
            content: String::new(),
            format: ContentFormat::Markdown,
            cut: None,
            level: None,
            withheld: false,
        }
    }

    /// Whether the content is not all that was asked for.
    pub fn is_truncated(&self) -> bool {
        self.cut.is_some()
    }

    /// Reads `{status, artifacts?, content?, format?, cut?: {shown, total}, level?, withheld?}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "observation must be an object"));
        };
        let mut seen = Self::new(read::word(CODE, "status", raw.get("status").unwrap_or(&Value::Null))?);
        if let Some(list) = read::present(raw, "artifacts") {
            seen.artifacts = read::texts(CODE, "artifacts", list)?;
        }
        seen.content = read::optional_text(CODE, "content", raw)?.unwrap_or_default();
        if let Some(word) = read::present(raw, "format") {
            seen.format = read::word(CODE, "format", word)?;
        }
        seen.cut = read::present(raw, "cut").map(Cut::parse).transpose()?;
        seen.level = read::present(raw, "level").map(|word| read::word(CODE, "level", word)).transpose()?;
        seen.withheld = match read::present(raw, "withheld") {
            None => false,
            Some(Value::Bool(withheld)) => *withheld,
            Some(_) => return Err(ContractError::field(CODE, "withheld", "must be true or false")),
        };
        Ok(seen)
    }

    /// The wire form; what is absent is left out.
    pub fn to_value(&self) -> Value {
        let mut wire = Object::new();
        wire.insert("status".into(), json!(self.status));
        wire.insert("artifacts".into(), json!(self.artifacts));
        wire.insert("content".into(), json!(self.content));
        if self.format != ContentFormat::default() {
            wire.insert("format".into(), json!(self.format));
        }
        if let Some(cut) = self.cut {
            wire.insert("cut".into(), json!({ "shown": cut.shown, "total": cut.total }));
        }
        if let Some(level) = self.level {
            wire.insert("level".into(), json!(level));
        }
        if self.withheld {
            wire.insert("withheld".into(), true.into());
        }
        Value::Object(wire)
    }
}

impl Cut {
    fn parse(value: &Value) -> Result<Self> {
        let count = |key| value.get(key).and_then(Value::as_u64);
        match (count("shown"), count("total")) {
            (Some(shown), Some(total)) if shown <= total => Ok(Self { shown, total }),
            (_, _) => Err(ContractError::field(CODE, "cut", "must be {shown, total}, shown not above total")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_form_reads_back_as_itself() {
        let wire = json!({
            "status": "failed",
            "artifacts": ["artifact://r1/a"],
            "content": "exit 1",
            "format": "json",
            "cut": { "shown": 6, "total": 90 },
            "level": "tool_native",
            "withheld": true,
        });
        assert_eq!(Observation::parse(&wire).unwrap().to_value(), wire);
        let bare = json!({ "status": "completed", "artifacts": [], "content": "" });
        assert_eq!(Observation::parse(&bare).unwrap().to_value(), bare);
    }

    #[test]
    fn a_cut_cannot_show_more_than_there_is() {
        let cut =
            |shown| Observation::parse(&json!({ "status": "failed", "cut": { "shown": shown, "total": 5 } }));
        assert!(cut(5).is_ok());
        assert_eq!(cut(6).unwrap_err().field_paths(), ["cut"]);
    }
}
