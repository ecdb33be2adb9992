//! A model that says what a test wrote, whatever it is asked.

use std::fs;

use serde_json::{Value, json};

use super::world::World;

/// A turn of words.
pub(crate) fn say(text: &str) -> Value {
    turn(text, json!([]))
}

/// A turn with one call.
pub(crate) fn call(id: &str, tool: &str, arguments: &Value) -> Value {
    turn("", json!([{ "id": id, "name": tool, "parameters": arguments }]))
}

/// The change the project of the example needs.
pub(crate) fn mend() -> Value {
    call(
        "fix-1",
        "fs/edit",
        &json!({ "path": "src/sum.sh", "old_text": "echo $(($1 + $2 + 1))", "new_text": "echo $(($1 + $2))" }),
    )
}

fn turn(text: &str, calls: Value) -> Value {
    let usage = json!({ "prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10 });
    json!({ "request": {}, "answer": { "turn": {
        "content": text, "message": null, "continuation_messages": [], "tool_calls": calls,
        "usage": usage, "request_metadata": {}, "provider_diagnostics": {},
    } } })
}

impl World {
    /// The words with which the program answers from these turns. They are recorded anew, which asks for
    /// no particular requests.
    pub(crate) fn script(&self, name: &str, turns: &[Value]) -> [String; 4] {
        let (script, record) =
            (self.path(&format!("{name}.script.json")), self.path(&format!("{name}.json")));
        fs::write(&script, json!({ "version": 1, "turns": turns }).to_string()).unwrap();
        ["--cassette".into(), script.display().to_string(), "--record".into(), record.display().to_string()]
    }
}
