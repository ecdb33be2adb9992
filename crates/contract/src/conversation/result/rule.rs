//! What each known field of a result must be, as tables that are walked in order.

use serde_json::Value;

use crate::conversation::entries::{Labelled, labelled};
use crate::json::{self, Object};
use crate::{ContractError, Result};

/// What a field must be.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    NonEmptyText,
    Container,
    Integer,
    Boolean,
    TextWhenPresent,
    ContainerWhenPresent,
    IntegerWhenPresent,
    BooleanWhenPresent,
}

/// A field and its rule.
pub(super) type Field = (&'static str, Rule);

/// Walks the rules in order and refuses the first field that breaks its own. A null is present.
pub(super) fn check(code: &'static str, path: &str, object: &Object, rules: &[Field]) -> Result<()> {
    for (key, rule) in rules {
        if !rule.holds(json::get(object, key)) {
            return Err(ContractError::field(code, format!("{path}{key}"), rule.reason()));
        }
    }
    Ok(())
}

/// A list of objects, and the rules of each.
pub(super) struct List {
    pub(super) key: &'static str,
    pub(super) rules: &'static [Field],
}

impl List {
    /// The entries before any rule; none when the list is missing. A null is no list.
    pub(super) fn entries<'a>(&self, code: &'static str, raw: &'a Object) -> Result<Labelled<'a>> {
        let Some(list) = json::get(raw, self.key) else { return Ok(Vec::new()) };
        labelled(list).ok_or_else(|| ContractError::field(code, self.key, "must be an array"))
    }

    /// The entries after their rules.
    pub(super) fn checked<'a>(&self, code: &'static str, entries: Labelled<'a>) -> Result<Vec<&'a Object>> {
        let checked = entries.into_iter().map(|(label, entry)| {
            let path = format!("{}[{label}]", self.key);
            let Some(entry) = entry.as_object() else {
                return Err(ContractError::field(code, path, "must be an array"));
            };
            check(code, &format!("{path}."), entry, self.rules).map(|()| entry)
        });
        checked.collect()
    }

    /// Takes the entries out of a result that was checked.
    pub(super) fn take(&self, raw: &mut Object) -> Vec<Value> {
        match raw.shift_remove(self.key) {
            Some(Value::Array(items)) => items,
            Some(Value::Object(map)) => map.into_iter().map(|(_, item)| item).collect(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => Vec::new(),
        }
    }
}

impl Rule {
    fn holds(self, value: Option<&Value>) -> bool {
        match self {
            Self::NonEmptyText => value.and_then(Value::as_str).is_some_and(|text| !text.is_empty()),
            Self::Container => value.is_some_and(json::is_container),
            Self::Integer => value.is_some_and(Value::is_i64),
            Self::Boolean => value.is_some_and(Value::is_boolean),
            Self::TextWhenPresent => value.is_none_or(Value::is_string),
            Self::ContainerWhenPresent => value.is_none_or(json::is_container),
            Self::IntegerWhenPresent => value.is_none_or(Value::is_i64),
            Self::BooleanWhenPresent => value.is_none_or(Value::is_boolean),
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::NonEmptyText => "must be a non-empty string",
            Self::Container => "must be an array",
            Self::Integer => "must be an integer",
            Self::Boolean => "must be a boolean",
            Self::TextWhenPresent => "must be a string when present",
            Self::ContainerWhenPresent => "must be an array when present",
            Self::IntegerWhenPresent => "must be an integer when present",
            Self::BooleanWhenPresent => "must be a boolean when present",
        }
    }
}
