//! A call written as one line: `name key=value key="two words"`.

use serde_json::Value;

use super::super::RequestedCall;
use crate::json::Object;

/// The call, when the whole text is one such line. Prose with an equals sign looks the same; the tool's
/// name decides later whether there is such a tool.
pub(super) fn call(text: &str) -> Option<RequestedCall> {
    let line = text.trim();
    let (name, rest) = line.split_once(char::is_whitespace)?;
    let parameters = if line.contains('\n') { Object::new() } else { pairs(rest) };
    if parameters.is_empty() {
        return None;
    }
    RequestedCall::written(name, parameters, "text-tool-call-1".to_owned())
}

/// Every `key=value`; a value ends with its quote, or at a space.
fn pairs(text: &str) -> Object {
    let mut pairs = Object::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        rest = after;
        let key = before.rsplit(|character: char| !can_be_in_a_key(character)).next().unwrap_or_default();
        if key.is_empty() {
            continue;
        }
        let Some((value, behind)) = value(after) else { continue };
        pairs.insert(key.to_owned(), Value::String(value.to_owned()));
        rest = behind;
    }
    pairs
}

/// The value at the beginning of a text, and what comes after it.
fn value(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(quoted) = text.strip_prefix(quote).and_then(|text| text.split_once(quote)) {
            return Some(quoted);
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(value, _)| !value.is_empty())
}

fn can_be_in_a_key(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_may_be_empty_only_in_quotes_and_a_key_never() {
        assert_eq!(json!(pairs(r#"a= b="" =c d='x=1' e=y"z"#)), json!({"b": "", "d": "x=1", "e": "y\"z"}));
    }

    #[test]
    fn two_lines_are_no_call_and_one_is() {
        assert!(call("dock/ring times=2\nnow").is_none());
        assert!(call("  dock/ring times=2 \n").is_some());
    }
}
