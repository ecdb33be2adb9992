//! A provider on this machine that speaks in pieces, and waits in between for the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use serde_json::{Value, json};

/// Answers every request with the same pieces; before each piece but the first it waits for a word.
pub(crate) struct Speaker {
    pub(crate) url: String,
    go_on: mpsc::Sender<()>,
}

impl Speaker {
    pub(crate) fn new(pieces: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (go_on, heard) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A program that went away wants no answer.
                drop(answer(stream.unwrap(), pieces, &heard));
            }
        });
        Self { url, go_on }
    }

    /// Lets the next piece be said.
    pub(crate) fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }
}

/// Answers with the turns of a test, whatever it is asked: the first to a request without an answer in it,
/// the second to one that has the first, and so on. So a run that is resumed hears the turn it needs.
pub(crate) struct Scripted {
    pub(crate) url: String,
    turns: Arc<Mutex<Vec<Value>>>,
}

impl Scripted {
    /// Each turn is the delta of a stream: `{"content": …}` or `{"tool_calls": […]}`.
    pub(crate) fn new(turns: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let turns = Arc::new(Mutex::new(turns));
        let played = turns.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let turns = played.lock().unwrap().clone();
                drop(scripted(stream.unwrap(), &turns));
            }
        });
        Self { url, turns }
    }

    /// Answers with other turns from now on.
    pub(crate) fn play(&self, turns: Vec<Value>) {
        *self.turns.lock().unwrap() = turns;
    }

    /// A turn with one call.
    pub(crate) fn call(id: &str, tool: &str, arguments: &Value) -> Value {
        let function = json!({ "name": tool.replace('/', "__"), "arguments": arguments.to_string() });
        json!({ "tool_calls": [{ "index": 0, "id": id, "type": "function", "function": function }] })
    }
}

fn scripted(mut stream: TcpStream, turns: &[Value]) -> std::io::Result<()> {
    let asked: Value = serde_json::from_slice(&request(&stream)?).unwrap();
    let answers = asked["messages"].as_array().unwrap().iter().filter(|said| said["role"] == "assistant");
    let delta = turns.get(answers.count()).cloned().unwrap_or_else(|| json!({ "content": "done" }));
    let why = if delta.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    stream.write_all(HEAD)?;
    for choice in
        [json!({ "index": 0, "delta": delta }), json!({ "index": 0, "delta": {}, "finish_reason": why })]
    {
        write!(stream, "data: {}\n\n", json!({ "id": "a", "model": "m", "choices": [choice] }))?;
    }
    write!(stream, "data: [DONE]\n\n")
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// The body of a request.
fn request(stream: &TcpStream) -> std::io::Result<Vec<u8>> {
    let mut request = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while request.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    request.read_exact(&mut body)?;
    Ok(body)
}

fn answer(mut stream: TcpStream, pieces: &[&str], heard: &mpsc::Receiver<()>) -> std::io::Result<()> {
    request(&stream)?;
    stream.write_all(HEAD)?;
    for (place, piece) in pieces.iter().enumerate() {
        if place > 0 && heard.recv().is_err() {
            return Ok(());
        }
        let delta = json!({ "index": 0, "delta": { "role": "assistant", "content": piece } });
        write!(stream, "data: {}\n\n", json!({ "id": "a", "model": "m", "choices": [delta] }))?;
    }
    let end = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    write!(stream, "data: {}\n\ndata: [DONE]\n\n", json!({ "id": "a", "model": "m", "choices": [end] }))
}
