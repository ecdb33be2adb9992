//! Strict JSON (RFC 8259) without duplicate keys: otherwise the last one would win and change the meaning.

use std::fmt;

use provost_contract::json::{self, DEPTH_MAX, Object};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::map::Entry;

/// Why a text is not strict JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonFault {
    /// The byte offset of the error.
    pub(crate) byte: usize,
    /// The message.
    pub(crate) message: String,
}

/// Parses strict JSON text.
pub(crate) fn parse_strict(text: &str) -> Result<Value, JsonFault> {
    if json::depth_of(text) > DEPTH_MAX {
        return Err(JsonFault { byte: 0, message: format!("nests deeper than {DEPTH_MAX} levels") });
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let Strict(value) = Strict::deserialize(&mut reader).map_err(|error| fault_of(text, &error))?;
    reader.end().map_err(|error| fault_of(text, &error))?;
    Ok(value)
}

/// serde_json counts lines and bytes from 1; its message repeats them at the end.
fn fault_of(text: &str, error: &serde_json::Error) -> JsonFault {
    let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let byte = (before + error.column().saturating_sub(1)).min(text.len());
    let told = error.to_string();
    let message = told.rsplit_once(" at line ").map_or(told.as_str(), |(message, _)| message).to_owned();
    JsonFault { byte: text.floor_char_boundary(byte), message }
}

/// A value that rejects what the usual deserializer accepts.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(key) = entries.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(slot) => {
                    slot.insert(entries.next_value::<Strict>()?.0);
                }
                Entry::Occupied(slot) => {
                    return Err(A::Error::custom(format_args!("duplicate key {:?}", slot.key())));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strict_json_refuses() {
        let refused =
            ["[1,]", "[NaN]", "[1] // done", "{'a':1}", "\"\\ud800\"", "[01]", "\u{feff}{}", "", "[1"];
        for text in refused {
            assert!(parse_strict(text).is_err(), "{text}");
        }
        for text in ["{\"a\":1,\n\"a\":2}", "{\"b\":[{\"a\":1,\"a\":1}]}"] {
            assert_eq!(parse_strict(text).unwrap_err().message, "duplicate key \"a\"", "{text}");
        }
        assert_eq!(parse_strict("{\"a\":1,\n\"a\":2}").unwrap_err().byte, 10);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse_strict(&nested(DEPTH_MAX)).is_ok());
        assert!(parse_strict(&nested(DEPTH_MAX + 1)).unwrap_err().message.contains("128 levels"));
    }
}
