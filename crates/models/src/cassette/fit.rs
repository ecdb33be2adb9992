//! Whether a request is the one a turn was recorded for.

use serde_json::Value;

/// Stands in a recorded request for something that differs from run to run: any value in the place of one,
/// any words inside a text. What people say is such a thing: their name, their reason.
const ANY: &str = "[[any]]";

/// Whether what is asked is what was asked then.
pub(super) fn fits(recorded: &Value, asked: &Value) -> bool {
    match (recorded, asked) {
        (Value::String(recorded), _) if recorded == ANY => true,
        (Value::String(recorded), Value::String(asked)) => recorded == asked || words_fit(recorded, asked),
        (Value::Array(recorded), Value::Array(asked)) => {
            recorded.len() == asked.len() && recorded.iter().zip(asked).all(|(then, now)| fits(then, now))
        }
        (Value::Object(recorded), Value::Object(asked)) => {
            let same = |(key, then): (&String, &Value)| asked.get(key).is_some_and(|now| fits(then, now));
            recorded.len() == asked.len() && recorded.iter().all(same)
        }
        (Value::Null | Value::Bool(_) | Value::Number(_), _)
        | (Value::String(_) | Value::Array(_) | Value::Object(_), _) => recorded == asked,
    }
}

/// Whether a text has the fixed parts of a recorded one, in their order and at both ends.
fn words_fit(recorded: &str, asked: &str) -> bool {
    let Some((first, middle)) = recorded.split_once(ANY) else { return false };
    let (middle, last) = middle.rsplit_once(ANY).unwrap_or(("", middle));
    let Some(mut rest) = asked.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    for part in middle.split(ANY) {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_marked_may_differ() {
        let recorded =
            json!({ "content": "Not run: [[any]] said no[[any]]", "approval": "[[any]]", "turn": 4 });
        let asked = |content: &str, turn: u64| json!({ "content": content, "approval": { "by": "user:ada" }, "turn": turn });
        assert!(fits(&recorded, &asked("Not run: user:ada said no", 4)));
        assert!(fits(&recorded, &asked("Not run: user:ada said no: not now", 4)));
        assert!(!fits(&recorded, &asked("Not run: user:ada said yes", 4)));
        assert!(!fits(&recorded, &asked("Run: user:ada said no", 4)));
        assert!(!fits(&recorded, &asked("Not run: user:ada said no", 5)));
        assert!(!fits(&recorded, &json!({ "content": "Not run: a said no", "turn": 4 })), "a missing part");
        assert!(!fits(&json!([1]), &json!([1, 2])));
        assert!(fits(&json!(["a", null]), &json!(["a", null])));
    }

    #[test]
    fn parts_stand_in_their_order() {
        assert!(words_fit("a[[any]]b[[any]]c", "a1b2c"));
        assert!(!words_fit("a[[any]]b[[any]]c", "a1c2b"));
        assert!(!words_fit("ab[[any]]bc", "abc"), "no letter is used twice");
        assert!(!words_fit("plain", "other"));
    }
}
