//! A provider on this machine that speaks in pieces, and waits in between for the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use serde_json::json;

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

fn answer(mut stream: TcpStream, pieces: &[&str], heard: &mpsc::Receiver<()>) -> std::io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while request.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    request.read_exact(&mut vec![0; length])?;
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
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
