//! Comparing a page with what must and must not stand in it.

use serde_json::Value;

use super::areas::Answer;

/// Compares the answer's `text` with `contains`, `not_contains`, `contains_in_order`, `counts` and
/// `max_chars`, and every other key with the fact of the same name.
pub(super) fn page(op: &str, expect: &Value, answer: &Answer) -> Vec<String> {
    let (Some(expected), Ok(answer)) = (expect.get("ok").and_then(Value::as_object), answer) else {
        return super::compare::exact(op, expect, answer);
    };
    let text = answer.get("text").and_then(Value::as_str).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for (key, value) in expected {
        match key.as_str() {
            "contains" => found.extend(texts(value).filter(|part| !text.contains(part)).map(lacks)),
            "not_contains" => {
                let seen = texts(value).filter(|part| text.contains(part));
                found.extend(seen.map(|part| format!("must not contain {part:?}")));
            }
            "contains_in_order" => found.extend(out_of_order(text, value).map(|part| lacks(&part))),
            "counts" => found.extend(miscounted(text, value)),
            "max_chars" if text.chars().count() as u64 > value.as_u64().unwrap_or_default() => {
                found.push(format!("has {} characters, at most {value} are allowed", text.chars().count()));
            }
            "max_chars" => {}
            fact if answer.get(fact) == Some(value) => {}
            fact => found.push(format!("{fact}: expected {value}, got {:?}", answer.get(fact))),
        }
    }
    if !found.is_empty() {
        found.push(format!("the page was:\n{text}"));
    }
    found
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn lacks(part: &str) -> String {
    format!("lacks {part:?}")
}

/// The first text that does not follow the ones before it.
fn out_of_order(page: &str, expected: &Value) -> Option<String> {
    let mut rest = page;
    for part in texts(expected) {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return Some(part.to_owned()),
        }
    }
    None
}

fn miscounted(page: &str, expected: &Value) -> Vec<String> {
    let counts = expected.as_object().into_iter().flatten();
    let wrong = counts.filter_map(|(part, count)| {
        let found = page.matches(part.as_str()).count();
        (Some(found as u64) != count.as_u64()).then(|| format!("{part:?} stands {found} times, not {count}"))
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differences(expected: Value) -> usize {
        let answer = Ok(json!({ "text": "one two one", "truncated": true }));
        page("observe", &json!({ "ok": expected }), &answer).len()
    }

    #[test]
    fn each_property_can_hold_and_fail() {
        for (holds, fails) in [
            (json!({ "contains": ["two"] }), json!({ "contains": ["three"] })),
            (json!({ "not_contains": ["three"] }), json!({ "not_contains": ["two"] })),
            (
                json!({ "contains_in_order": ["one", "two", "one"] }),
                json!({ "contains_in_order": ["two", "two"] }),
            ),
            (json!({ "counts": { "one": 2 } }), json!({ "counts": { "one": 1 } })),
            (json!({ "max_chars": 11 }), json!({ "max_chars": 10 })),
            (json!({ "truncated": true }), json!({ "truncated": false })),
        ] {
            assert_eq!(differences(holds), 0);
            assert_ne!(differences(fails), 0);
        }
    }
}
