//! Defaults: what a parameter is when nobody gave it.

use serde_json::Value;

use super::CODE;
use crate::json::{self, Object};
use crate::sensitivity::{self, REDACTED, is_sensitive_name};
use crate::{ContractError, Result};

const FIELD: &str = "parameter_defaults";

/// The declared defaults of a tool, with everything under a sensitive name hidden at any depth.
///
/// A declaration is shown to models and kept in records; it is no place for a secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Defaults(Object);

impl Defaults {
    /// Reads `parameter_defaults` of a declaration; unlike elsewhere a null is refused.
    pub fn parse(declaration: &Object) -> Result<Self> {
        let Some(raw) = declaration.get(FIELD) else { return Ok(Self::default()) };
        let refused = || ContractError::fields(CODE, vec![FIELD.to_owned()]);
        let mut defaults = Object::new();
        for (name, value) in json::object_from(raw).ok_or_else(refused)? {
            let name = Some(name.trim()).filter(|name| !name.is_empty()).ok_or_else(refused)?;
            defaults.insert(name.to_owned(), shown(name, &value));
        }
        Ok(Self(defaults))
    }

    /// The default of a parameter; a hidden one counts as missing.
    pub fn get(&self, parameter: &str) -> Option<Value> {
        self.0.get(parameter).and_then(sensitivity::without_redacted)
    }

    /// The parameters that have a default nobody hid.
    pub(super) fn known(&self) -> impl Iterator<Item = (String, Value)> {
        self.0.keys().filter_map(|name| Some((name.clone(), self.get(name)?)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// Rewrites every default.
    pub(super) fn map(&mut self, rewrite: impl Fn(&str, &Value) -> Value) {
        for (parameter, value) in &mut self.0 {
            *value = rewrite(parameter, value);
        }
    }
}

fn shown(name: &str, value: &Value) -> Value {
    if is_sensitive_name(name) { REDACTED.into() } else { sensitivity::redact_names(value) }
}
