//! The one error shape of the contract: a stable code, a readable message, the offending fields.

use std::borrow::Cow;

use serde_json::{Value, json};

/// Why a value was refused.
///
/// `code` is for machines and never changes meaning; `message` is for people and says what was
/// expected; `fields` are the paths of what is wrong, in the order they were found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ContractError {
    code: Cow<'static, str>,
    message: String,
    fields: Vec<String>,
}

/// What every door of this crate returns.
pub type Result<T, E = ContractError> = std::result::Result<T, E>;

impl ContractError {
    /// Refuses one field: the message reads `<code>: <field> <reason>`.
    pub fn field(code: &'static str, field: impl Into<String>, reason: &str) -> Self {
        let field = field.into();
        Self { message: format!("{code}: {field} {reason}"), code: code.into(), fields: vec![field] }
    }

    /// Refuses several fields at once: the message lists them.
    pub fn fields(code: &'static str, fields: Vec<String>) -> Self {
        Self { message: format!("{code}: {}", fields.join(", ")), code: code.into(), fields }
    }

    /// Refuses a value as a whole: the message reads `<code>: <reason>`.
    pub fn whole(code: &'static str, reason: &str) -> Self {
        Self { message: format!("{code}: {reason}"), code: code.into(), fields: Vec::new() }
    }

    /// Refuses with a message of its own, for codes whose text readers already know.
    pub fn with_message(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), fields: Vec::new() }
    }

    /// Names a field the message speaks of in other words.
    #[must_use]
    pub fn about(mut self, field: impl Into<String>) -> Self {
        self.fields.push(field.into());
        self
    }

    /// The machine code.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The readable message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The paths of the offending fields; empty when the value as a whole is wrong.
    pub fn field_paths(&self) -> &[String] {
        &self.fields
    }

    /// The wire form `{code, message, fields?}`.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "code": self.code, "message": self.message });
        if let (Some(map), false) = (wire.as_object_mut(), self.fields.is_empty()) {
            map.insert("fields".into(), json!(self.fields));
        }
        wire
    }
}

impl From<ContractError> for Value {
    fn from(error: ContractError) -> Self {
        error.to_value()
    }
}
