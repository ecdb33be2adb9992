//! The bytes behind every hash: compact JSON, canonical JSON, and the SHA-256 over them.
//!
//! Compact JSON has no spaces, writes `/` as `\/`, every non-ASCII character as `\uXXXX`, an empty
//! object as `[]` and an integral float without its fraction. Canonical JSON is compact JSON with
//! object keys sorted by byte value at every depth. No other file may define hash bytes.

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

use crate::json::Object;

/// Whether object keys keep their given order or are sorted by byte value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOrder {
    Given,
    Sorted,
}

/// Compact JSON in the given key order: the form sizes and excerpts are measured on.
pub fn compact(value: &Value) -> String {
    written(value, KeyOrder::Given)
}

/// Compact JSON of a list, without making one.
pub fn compact_list(items: &[Value]) -> String {
    let mut out = String::new();
    write_list(&mut out, items, KeyOrder::Given);
    out
}

/// Canonical JSON: compact, keys sorted by byte value at every depth.
pub fn canonical(value: &Value) -> String {
    written(value, KeyOrder::Sorted)
}

/// `sha256:` and the hash of the canonical JSON of a value.
pub fn hash(value: &Value) -> String {
    format!("sha256:{}", sha256_hex(canonical(value).as_bytes()))
}

/// The same of an object.
pub fn object_hash(object: &Object) -> String {
    let mut out = String::new();
    write_object(&mut out, object, KeyOrder::Sorted);
    format!("sha256:{}", sha256_hex(out.as_bytes()))
}

/// `sha256:` and the hash of a text as it stands.
pub fn text_hash(text: &str) -> String {
    format!("sha256:{}", sha256_hex(text.as_bytes()))
}

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    sha256_of_parts(&[bytes])
}

/// The SHA-256 of some parts, one behind the other.
pub fn sha256_of_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}

/// The lower-case hex SHA-256 of some bytes.
pub fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in sha256(bytes) {
        hex.extend(
            [byte >> 4, byte & 0xf].into_iter().filter_map(|digit| char::from_digit(digit.into(), 16)),
        );
    }
    hex
}

/// The first 16 hex digits of the SHA-256 of a text: enough to name a thing by what it holds.
pub fn short_hash(text: &str) -> String {
    let mut hex = sha256_hex(text.as_bytes());
    hex.truncate(16);
    hex
}

fn written(value: &Value, order: KeyOrder) -> String {
    let mut out = String::new();
    write_value(&mut out, value, order);
    out
}

fn write_value(out: &mut String, value: &Value, order: KeyOrder) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_text(out, text),
        Value::Array(items) => write_list(out, items, order),
        Value::Object(map) => write_object(out, map, order),
    }
}

fn write_object(out: &mut String, map: &Object, order: KeyOrder) {
    if map.is_empty() {
        return out.push_str("[]");
    }
    let mut entries: Vec<_> = map.iter().collect();
    if order == KeyOrder::Sorted {
        entries.sort_unstable_by_key(|(key, _)| key.as_bytes());
    }
    write_separated(out, '{', entries.into_iter(), |out, (key, item)| {
        write_text(out, key);
        out.push(':');
        write_value(out, item, order);
    });
    out.push('}');
}

fn write_list(out: &mut String, items: &[Value], order: KeyOrder) {
    write_separated(out, '[', items.iter(), |out, item| write_value(out, item, order));
    out.push(']');
}

fn write_separated<T>(
    out: &mut String,
    open: char,
    items: impl Iterator<Item = T>,
    write_item: impl Fn(&mut String, T),
) {
    out.push(open);
    for (position, item) in items.enumerate() {
        if position > 0 {
            out.push(',');
        }
        write_item(out, item);
    }
}

fn write_number(out: &mut String, number: &Number) {
    let shortest = number.to_string();
    out.push_str(shortest.strip_suffix(".0").unwrap_or(&shortest));
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Most text is plain and goes over in one piece.
    while let Some(at) = rest.find(needs_escape) {
        let (plain, escaped) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = escaped.chars();
        if let Some(character) = characters.next() {
            write_escaped(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(character: char) -> bool {
    !matches!(character, ' '..='\u{7f}') || matches!(character, '"' | '\\' | '/')
}

fn write_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '/' => out.push_str("\\/"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => {
            let mut units = [0_u16; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_sorts_at_every_depth_and_compact_keeps_the_order() {
        let value = json!({"b": {"z": 1, "a": []}, "B": {}, "a": 2.0});
        assert_eq!(canonical(&value), r#"{"B":[],"a":2,"b":{"a":[],"z":1}}"#);
        assert_eq!(compact(&value), r#"{"b":{"z":1,"a":[]},"B":[],"a":2}"#);
    }

    #[test]
    fn text_is_ascii_with_surrogate_pairs_and_escaped_slashes() {
        let value = json!("a/b é 🌱 \u{1} \u{7f}");
        assert_eq!(canonical(&value), "\"a\\/b \\u00e9 \\ud83c\\udf31 \\u0001 \u{7f}\"");
    }
}
