//! Texts among the arguments.

use globset::{Glob, GlobMatcher};
use provost_contract::json::Object;
use regex::Regex;
use serde_json::Value;

use super::{Fit, RuleError, TextSpec};

/// Where an argument is, and what its text must be.
#[derive(Clone, Debug)]
pub(super) struct ArgumentText {
    path: Vec<String>,
    pattern: TextPattern,
}

#[derive(Clone, Debug)]
enum TextPattern {
    Exact(String),
    Glob(GlobMatcher),
    Regex(Regex),
}

impl ArgumentText {
    /// `name` may lead into objects: `options.mode`.
    pub(super) fn read(name: &str, spec: &TextSpec) -> Result<Self, RuleError> {
        let pattern = match spec {
            TextSpec::Exact(text) => TextPattern::Exact(text.clone()),
            TextSpec::Glob(text) => {
                let glob =
                    Glob::new(text).map_err(|error| RuleError::pattern("the glob", text, error.kind()))?;
                TextPattern::Glob(glob.compile_matcher())
            }
            TextSpec::Regex(text) => {
                let why = |error| RuleError::pattern("the expression", text, error);
                TextPattern::Regex(Regex::new(text).map_err(why)?)
            }
        };
        Ok(Self { path: name.split('.').map(str::to_owned).collect(), pattern })
    }

    /// Whether any text in the argument fits, however deep it lies: an argument of another shape than
    /// expected hides nothing.
    pub(super) fn fits(&self, arguments: &Object) -> Fit {
        let Some((first, rest)) = self.path.split_first() else { return Fit::No };
        let Some(value) = arguments.get(first) else { return Fit::No };
        Fit::of(found(value, rest).into_iter().flat_map(leaves).any(|text| self.pattern.fits(&text)))
    }
}

impl TextPattern {
    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Exact(wanted) => wanted == text,
            Self::Glob(glob) => glob.is_match(text),
            Self::Regex(regex) => regex.is_match(text),
        }
    }
}

/// The values under a path of names; lists on the way are entered.
fn found<'v>(value: &'v Value, path: &[String]) -> Vec<&'v Value> {
    let Some((name, rest)) = path.split_first() else { return vec![value] };
    match value {
        Value::Object(fields) => fields.get(name).map(|value| found(value, rest)).unwrap_or_default(),
        Value::Array(items) => items.iter().flat_map(|item| found(item, path)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Every text in a value; numbers and flags as they are written.
pub(super) fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) => vec![value.to_string()],
    }
}
