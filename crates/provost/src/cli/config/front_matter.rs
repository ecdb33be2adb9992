//! The front matter of a Markdown file: plain YAML of keys, texts, numbers, lists and one level of maps.

use provost_contract::json::Object;
use serde_json::Value;

const FENCE: &str = "---";

/// The front matter and the body; the line and what is wrong otherwise.
pub(super) fn split(text: &str) -> Result<(Object, &str), (usize, String)> {
    let Some(rest) = text.strip_prefix(FENCE).and_then(|rest| rest.strip_prefix('\n')) else {
        return Ok((Object::new(), text));
    };
    let missing = || (1, "the front matter does not end: a line `---` is missing".to_owned());
    let (head, body) = match rest.split_once("\n---\n") {
        Some(parts) => parts,
        None => (rest.strip_suffix("\n---").ok_or_else(missing)?, ""),
    };
    Ok((read(head)?, body.trim_start_matches('\n')))
}

/// A key whose value stands on the lines below it.
struct Open {
    key: String,
    value: Value,
}

fn read(head: &str) -> Result<Object, (usize, String)> {
    let mut fields = Object::new();
    let mut open = None::<Open>;
    for (number, line) in head.lines().enumerate() {
        let number = number + 2;
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '-']) {
            let holder = open.as_mut().ok_or_else(|| (number, format!("`{content}` belongs to no key")))?;
            holder.take_in(content).map_err(|what| (number, what))?;
            continue;
        }
        close(&mut fields, open.take());
        let (key, value) = pair(content).map_err(|what| (number, what))?;
        if fields.contains_key(&key) {
            return Err((number, format!("`{key}` is there twice")));
        }
        if value.is_empty() {
            open = Some(Open { key, value: Value::Null });
        } else {
            fields.insert(key, scalar_or_list(value).map_err(|what| (number, what))?);
        }
    }
    close(&mut fields, open);
    Ok(fields)
}

impl Open {
    fn take_in(&mut self, content: &str) -> Result<(), String> {
        match content.strip_prefix("- ") {
            Some(item) => match &mut self.value {
                Value::Array(items) => items.push(scalar(item)?),
                Value::Null => self.value = Value::Array(vec![scalar(item)?]),
                _ => return Err(format!("`{}` is a list and a map at once", self.key)),
            },
            None => {
                let (key, value) = pair(content)?;
                match &mut self.value {
                    Value::Object(fields) => drop(fields.insert(key, scalar(value)?)),
                    Value::Null => self.value = Value::Object(Object::from_iter([(key, scalar(value)?)])),
                    _ => return Err(format!("`{}` is a list and a map at once", self.key)),
                }
            }
        }
        Ok(())
    }
}

fn close(fields: &mut Object, open: Option<Open>) {
    fields.extend(open.map(|open| (open.key, open.value)));
}

fn pair(content: &str) -> Result<(String, &str), String> {
    let (key, value) = content.split_once(':').ok_or_else(|| format!("`{content}` is no `key: value`"))?;
    Ok((unquoted(key.trim()).to_owned(), value.trim()))
}

fn scalar_or_list(value: &str) -> Result<Value, String> {
    let Some(items) = value.strip_prefix('[') else { return scalar(value) };
    let items = items.strip_suffix(']').ok_or_else(|| format!("`{value}` does not end in `]`"))?;
    items.split(',').map(str::trim).filter(|item| !item.is_empty()).map(scalar).collect()
}

fn scalar(value: &str) -> Result<Value, String> {
    let value = value.trim();
    if value.starts_with(['{', '&', '*', '|', '>']) {
        return Err(format!("`{value}`: only texts, numbers, lists and plain maps are read here"));
    }
    Ok(match value {
        "true" => true.into(),
        "false" => false.into(),
        _ => value.parse::<u64>().map_or_else(|_| unquoted(value).into(), Value::from),
    })
}

fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_lists_and_maps() {
        let text = "---\nname: a\nmax_turns: 12\ntools: [fs/list, \"fs/read\"]\nmore:\n  - x\n  - 2\nbudgets:\n  turns: 3\n---\n\nBody.\n";
        let (fields, body) = split(text).expect("well formed");
        let wanted = json!({ "name": "a", "max_turns": 12, "tools": ["fs/list", "fs/read"], "more": ["x", 2], "budgets": { "turns": 3 } });
        assert_eq!(Value::Object(fields), wanted);
        assert_eq!(body, "Body.\n");
        assert_eq!(split("No front.\n").expect("well formed").1, "No front.\n");
    }

    #[test]
    fn a_mistake_has_its_line() {
        let wrong = |text: &str| split(text).expect_err(text);
        assert_eq!(wrong("---\nname: a\nname: b\n---\n"), (3, "`name` is there twice".to_owned()));
        assert_eq!(wrong("---\nname\n---\n").0, 2);
        assert_eq!(wrong("---\n  - x\n---\n").0, 2);
        assert_eq!(wrong("---\nname: a\n").0, 1);
        assert_eq!(wrong("---\na: {b: c}\n---\n").0, 2);
    }
}
