//! The object of a call, in a few words.

use provost_contract::json::Object;
use serde_json::Value;

use crate::text::quoted;

/// Returns the object of a call: a path, a command, a URL; else its arguments.
pub(crate) fn object(tool: &str, arguments: &Object) -> String {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    let place = || text("path").filter(|path| !path.is_empty() && *path != ".");
    match tool {
        "shell/run" => match arguments.get("argv").and_then(Value::as_array) {
            Some(argv) => quoted(argv.iter().map(|word| word.as_str().unwrap_or("?"))),
            None => pairs(arguments),
        },
        "fs/list" => place().unwrap_or(".").to_owned(),
        "fs/search" => {
            let pattern = text("pattern").map(str::to_owned).unwrap_or_else(|| pairs(arguments));
            place().map_or_else(|| pattern.clone(), |path| format!("{pattern} in {path}"))
        }
        "fs/read" | "fs/write" | "fs/edit" => text("path").map_or_else(|| pairs(arguments), str::to_owned),
        "http/get" => text("url").map_or_else(|| pairs(arguments), str::to_owned),
        "human/ask" => text("question").map_or_else(|| pairs(arguments), str::to_owned),
        _ => pairs(arguments),
    }
}

/// Formats arguments in one line: `to=press@tally.example count=2`.
fn pairs(arguments: &Object) -> String {
    let pair = |(key, value): (&String, &Value)| match value {
        Value::String(text) => format!("{key}={}", quoted([text.as_str()])),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            format!("{key}=[{}]", quoted(items.iter().filter_map(Value::as_str)))
        }
        other => format!("{key}={other}"),
    };
    arguments.iter().map(pair).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use provost_contract::json::into_object;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_about_its_path_command_or_arguments() {
        let of = |tool: &str, arguments: Value| object(tool, &into_object(arguments));
        assert_eq!(of("shell/run", json!({ "argv": ["sh", "-c", "a b"] })), "sh -c 'a b'");
        assert_eq!(of("fs/list", json!({ "depth": 3 })), ".");
        assert_eq!(of("fs/search", json!({ "pattern": "x", "path": "src" })), "x in src");
        assert_eq!(of("fs/edit", json!({ "path": "a", "old_text": "b" })), "a");
        assert_eq!(of("mail/send", json!({ "to": "a@b", "text": "two words" })), "to=a@b text='two words'");
    }
}
