//! The looser readings of JSON that policies, limits and labels accept: a flag may be any value, a
//! number may be written as text, a label may be a number.
//!
//! Only a rule that says so reads a field this way; everything else asks [`crate::json`].

use std::collections::HashSet;

use serde_json::Value;

use crate::canonical;

/// Whether a value counts as switched on: null, false, zero, the text `0` and anything empty do not.
pub fn flag(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.as_str(), "" | "0"),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// The number a value is, or writes as text.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => number_in(text.trim()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The whole number a value is, or writes as text; a fraction is cut off, what is too large is the
/// largest there is.
pub fn integer(value: &Value) -> Option<i64> {
    if let Some(exact) = value.as_i64() {
        return Some(exact);
    }
    if let Some(exact) = value.as_str().and_then(|text| text.trim().parse().ok()) {
        return Some(exact);
    }
    number(value).map(|number| number as i64)
}

/// The whole number a value is, or writes as text; what is negative counts as zero.
pub fn count(value: &Value) -> Option<usize> {
    integer(value).map(|number| usize::try_from(number.max(0)).unwrap_or(usize::MAX))
}

/// The text of a string, number or boolean as it stands (true is `1`, false is empty); none for anything else.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) => Some(canonical::compact(value)),
        Value::Bool(true) => Some("1".to_owned()),
        Value::Bool(false) => Some(String::new()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The trimmed text of a string, number or boolean; none when it is blank or anything else.
pub fn text(value: &Value) -> Option<String> {
    scalar(value).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The distinct texts of a list, of an object's values, or of one value alone, in order.
pub fn text_list(value: &Value) -> Vec<String> {
    let texts: Vec<String> = match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        Value::Object(map) => map.values().filter_map(text).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text(value).into_iter().collect()
        }
    };
    let mut seen = HashSet::new();
    texts.into_iter().filter(|text| seen.insert(text.clone())).collect()
}

/// Words such as `inf` and `nan` are no numbers here.
fn number_in(text: &str) -> Option<f64> {
    let looks_numeric = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        && text.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    text.parse().ok().filter(|number: &f64| looks_numeric && number.is_finite())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flag_is_off_when_it_says_nothing_or_zero() {
        for off in
            [json!(null), json!(false), json!(0), json!(0.0), json!(""), json!("0"), json!([]), json!({})]
        {
            assert!(!flag(&off), "{off}");
        }
        for on in [
            json!(true),
            json!(-1),
            json!("false"),
            json!("00"),
            json!(" "),
            json!([null]),
            json!({"a": null}),
        ] {
            assert!(flag(&on), "{on}");
        }
    }

    #[test]
    fn numbers_are_read_from_numbers_and_numeric_text_only() {
        let read = [json!(2), json!(" 2.5 "), json!("-1e2"), json!("+3"), json!(".5")].map(|v| number(&v));
        assert_eq!(read, [Some(2.0), Some(2.5), Some(-100.0), Some(3.0), Some(0.5)]);
        for other in
            [json!("many"), json!("inf"), json!("nan"), json!("-inf"), json!("1e999"), json!(""), json!(true)]
        {
            assert_eq!(number(&other), None, "{other}");
        }
    }

    #[test]
    fn integers_keep_every_digit_they_can_and_lose_their_fraction() {
        let read = [json!(i64::MAX), json!("9007199254740993"), json!(u64::MAX), json!(-3.9), json!("1e30")];
        assert_eq!(
            read.map(|value| integer(&value)),
            [Some(i64::MAX), Some(9_007_199_254_740_993), Some(i64::MAX), Some(-3), Some(i64::MAX)]
        );
    }

    #[test]
    fn texts_are_trimmed_and_never_blank() {
        let list = json!([" a ", "", 3, 2.0, true, false, null, ["x"], "a"]);
        assert_eq!(text_list(&list), ["a", "3", "2", "1"]);
        assert_eq!(text_list(&json!(" one ")), ["one"]);
    }
}
