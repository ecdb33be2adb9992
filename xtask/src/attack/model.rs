//! A model on this machine that says what an attack's script says, and remembers what it was sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::data::Turn;
use crate::Failure;

/// A server that speaks Chat Completions. It ends with the process.
pub(super) struct ScriptedModel {
    pub(super) url: String,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    turns: Vec<Turn>,
    next: usize,
    requests: String,
}

impl ScriptedModel {
    pub(super) fn start() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let script = Arc::new(Mutex::new(Script::default()));
        let shared = script.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A program that was killed reads no answer.
                drop(answer(stream, &shared));
            }
        });
        Ok(Self { url, script })
    }

    /// The turns of the next run.
    pub(super) fn play(&self, turns: Vec<Turn>) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        script.turns = turns;
        script.next = 0;
    }

    /// The bodies of all requests so far.
    pub(super) fn requests(&self) -> String {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }
}

fn answer(mut stream: TcpStream, script: &Mutex<Script>) -> std::io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while request.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    request.read_exact(&mut body)?;
    let message = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        script.requests.push_str(&plain(&body));
        let place = script.next;
        script.next += 1;
        message(place, script.turns.get(place))
    };
    let reason = if message.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    let choice = json!({ "index": 0, "message": message, "finish_reason": reason });
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let reply = json!({ "id": "r", "model": "scripted", "choices": [choice], "usage": usage }).to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
        reply.len()
    )
}

/// Every text of a request, unescaped, a line each: what an attack looks for may hold quotes and line ends.
fn plain(body: &[u8]) -> String {
    let mut texts = String::new();
    if let Ok(body) = serde_json::from_slice::<Value>(body) {
        collect(&body, &mut texts);
    }
    texts
}

fn collect(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn message(place: usize, turn: Option<&Turn>) -> Value {
    match turn {
        None => json!({ "role": "assistant", "content": "Done." }),
        Some(Turn::Text { text }) => json!({ "role": "assistant", "content": text }),
        Some(Turn::Calls(calls)) => {
            let calls = calls.iter().enumerate().map(|(index, call)| {
                let arguments = match &call.arguments {
                    toml::Value::String(text) => text.clone(),
                    arguments => serde_json::to_string(arguments).unwrap_or_default(),
                };
                let function = json!({ "name": call.tool.replace('/', "__"), "arguments": arguments });
                json!({ "id": format!("call-{place}-{index}"), "type": "function", "function": function })
            });
            json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
        }
    }
}
