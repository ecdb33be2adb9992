//! `for_each`: one execution of an action for every item of a list.

use serde_json::{Value, json};

use super::{CODE, InputRef, InputSource};
use crate::json as read;
use crate::{ContractError, Result};

/// The list that an action is repeated over, and the bound on its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForEach {
    /// Never `item`, and never a text.
    list: InputRef,
    /// At least one, at most [`ForEach::ITEMS_MAX`].
    max: u32,
}

impl ForEach {
    /// How many items a declaration may ask for.
    pub const ITEMS_MAX: u32 = 64;

    /// The reference to the list.
    pub fn list(&self) -> &InputRef {
        &self.list
    }

    /// The most items; a longer list is not started at all.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// Parses `{in, max}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, "for_each", "must be {in, max}"));
        };
        read::only_keys(CODE, "for_each", raw, &["in", "max"])?;
        let Some(text) = read::text(raw, "in") else {
            let reason = "must be the text of a reference to a list, such as action:<id>.output#/files";
            return Err(ContractError::field(CODE, "for_each.in", reason));
        };
        let list = InputRef::parse(text).map_err(|error| {
            ContractError::with_message(error.code().to_owned(), error.message()).about("for_each.in")
        })?;
        if list.reference == InputSource::Item || list.reference.is_text() {
            let reason = format!("{text:?} is no list");
            return Err(ContractError::field("unresolved_reference", "for_each.in", &reason));
        }
        let items = raw.get("max").and_then(Value::as_u64).and_then(|max| u32::try_from(max).ok());
        let Some(max) = items.filter(|max| (1..=Self::ITEMS_MAX).contains(max)) else {
            let reason = format!("must be given, as an integer from 1 to {}", Self::ITEMS_MAX);
            return Err(ContractError::field(CODE, "for_each.max", &reason));
        };
        Ok(Self { list, max })
    }

    /// The wire form `{in, max}`.
    pub fn to_value(&self) -> Value {
        json!({ "in": self.list.to_string(), "max": self.max })
    }
}

impl serde::Serialize for ForEach {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for ForEach {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_and_a_bound_are_required() {
        let good = json!({ "in": "action:find.output#/files", "max": 64 });
        assert_eq!(ForEach::parse(&good).unwrap().to_value(), good);
        for (bad, code, field) in [
            (json!(3), "invalid_schema", "for_each"),
            (json!({ "in": "action:find.output" }), "invalid_schema", "for_each.max"),
            (json!({ "in": "action:find.output", "max": 0 }), "invalid_schema", "for_each.max"),
            (json!({ "in": "action:find.output", "max": 65 }), "invalid_schema", "for_each.max"),
            (json!({ "in": "action:find.output", "max": 1.5 }), "invalid_schema", "for_each.max"),
            (json!({ "in": "action:find.output#a", "max": 1 }), "invalid_schema", "for_each.in"),
            (json!({ "in": [1], "max": 1 }), "invalid_schema", "for_each.in"),
            (json!({ "in": "item", "max": 1 }), "unresolved_reference", "for_each.in"),
            (json!({ "in": "md:list", "max": 1 }), "unresolved_reference", "for_each.in"),
            (json!({ "in": "input:user.goal", "max": 1 }), "unresolved_reference", "for_each.in"),
            (json!({ "in": "action:find.summary", "max": 1 }), "unresolved_reference", "for_each.in"),
            (json!({ "in": "nowhere", "max": 1 }), "unresolved_reference", "for_each.in"),
            (json!({ "in": "action:a.output", "max": 1, "as": "x" }), "invalid_schema", "for_each.as"),
        ] {
            let error = ForEach::parse(&bad).unwrap_err();
            assert_eq!((error.code(), error.field_paths()), (code, &[field.to_owned()][..]), "{bad}");
        }
    }
}
