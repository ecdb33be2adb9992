//! The bytes behind every hash: compact JSON, canonical JSON, and the SHA-256 over them.
//!
//! Compact JSON has no spaces, writes `/` as `\/`, every non-ASCII character as `\uXXXX`, an empty
//! object as `[]` and an integral float without its fraction. Canonical JSON is compact JSON with
//! object keys sorted by byte value at every depth. No other file may define hash bytes.

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest as _, Sha256};

use crate::json::Object;

/// Room for what is usually written, so that the text need not grow and move on its way.
const USUAL_BYTES: usize = 512;
/// How many bytes of a text are looked at together for one that must be escaped.
const STRIDE: usize = 32;

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
    text_hash(&canonical(value))
}

/// The same of an object.
pub fn object_hash(object: &Object) -> String {
    let mut out = String::with_capacity(USUAL_BYTES);
    write_object(&mut out, object, KeyOrder::Sorted);
    text_hash(&out)
}

/// The same of an object that is nowhere but in its members, whose keys are sorted and not repeated.
pub(crate) fn members_hash(members: &[(&str, &Value)]) -> String {
    debug_assert!(members.is_sorted_by(|(left, _), (right, _)| left < right), "{members:?}");
    let mut out = String::with_capacity(USUAL_BYTES);
    write_members(&mut out, members.iter().copied(), KeyOrder::Sorted);
    text_hash(&out)
}

/// `sha256:` and the hash of a text as it stands.
pub fn text_hash(text: &str) -> String {
    with_hex("sha256:", &sha256(text.as_bytes()))
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
    with_hex("", &sha256(bytes))
}

/// Returns bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    with_hex("", bytes)
}

/// Some bytes in lower-case hex behind a prefix.
fn with_hex(prefix: &str, bytes: &[u8]) -> String {
    let mut text = String::with_capacity(prefix.len() + 2 * bytes.len());
    text.push_str(prefix);
    bytes.iter().for_each(|byte| push_hex(&mut text, *byte));
    text
}

fn push_hex(out: &mut String, byte: u8) {
    for digit in [byte >> 4, byte & 0xf] {
        out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
    }
}

/// The first 16 hex digits of the SHA-256 of a text: enough to name a thing by what it holds.
pub fn short_hash(text: &str) -> String {
    let mut hex = sha256_hex(text.as_bytes());
    hex.truncate(16);
    hex
}

fn written(value: &Value, order: KeyOrder) -> String {
    let mut out = String::with_capacity(USUAL_BYTES);
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
    let members = map.iter().map(|(key, value)| (key.as_str(), value));
    if order == KeyOrder::Given || map.keys().is_sorted() {
        return write_members(out, members, order);
    }
    let mut members: Vec<_> = members.collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    write_members(out, members.into_iter(), order);
}

fn write_members<'a>(out: &mut String, members: impl Iterator<Item = (&'a str, &'a Value)>, order: KeyOrder) {
    write_separated(out, '{', members, |out, (key, item)| {
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
    let _ = write!(out, "{number}");
    if out.ends_with(".0") {
        out.truncate(out.len() - 2);
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Most text is plain and goes over in one piece.
    while let Some(at) = first_escaped(rest.as_bytes()) {
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

/// Where the first character stands that must be escaped. A stride is looked at as a whole first, which
/// takes a few instructions, and byte by byte only when it holds one.
fn first_escaped(text: &[u8]) -> Option<usize> {
    let holds_one = |stride: &&[u8]| stride.iter().fold(false, |found, byte| found | needs_escape(*byte));
    let (number, stride) = text.chunks(STRIDE).enumerate().find(|(_, stride)| holds_one(stride))?;
    Some(number * STRIDE + stride.iter().position(|byte| needs_escape(*byte))?)
}

/// Whether a byte is, or begins, a character that must be escaped.
fn needs_escape(byte: u8) -> bool {
    !(b' '..=0x7f).contains(&byte) | matches!(byte, b'"' | b'\\' | b'/')
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
                out.push_str("\\u");
                unit.to_be_bytes().into_iter().for_each(|byte| push_hex(out, byte));
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

    #[test]
    fn what_must_be_escaped_is_found_wherever_it_stands() {
        for before in [0, 1, STRIDE - 1, STRIDE, 3 * STRIDE - 1] {
            let plain = "x".repeat(before);
            assert_eq!(canonical(&json!(plain)), format!("\"{plain}\""));
            let text = format!("{plain}é{plain}/");
            assert_eq!(canonical(&json!(text)), format!("\"{plain}\\u00e9{plain}\\/\""));
        }
    }

    #[test]
    fn an_object_has_one_hash_however_it_is_held() {
        let value = json!({"b": 1, "a": {"d": [], "c": 2}});
        let members = [("a", &value["a"]), ("b", &value["b"])];
        assert_eq!(hash(&value), object_hash(value.as_object().unwrap()));
        assert_eq!(hash(&value), members_hash(&members));
        assert_eq!(hash(&value), text_hash(&canonical(&value)));
    }
}
