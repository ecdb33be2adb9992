//! A provider on this machine: it answers as its script says, and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// How a reply ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Properly,
    /// The connection breaks.
    Cut,
    /// Nothing more comes, and nobody hangs up.
    Silence,
}

/// What the server answers to one request.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Vec<u8>>,
    end: End,
}

impl Reply {
    pub(crate) fn stream(body: &str) -> Self {
        let pieces = body.as_bytes().chunks(97).map(<[u8]>::to_vec).collect();
        let headers = vec![("content-type".to_owned(), "text/event-stream; charset=utf-8".to_owned())];
        Self { status: 200, headers, pieces, end: End::Properly }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { status, headers, pieces: vec![body.to_string().into_bytes()], end: End::Properly }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    /// Answers the requests that come with these replies, in order.
    pub(crate) async fn with(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::behind("http", replies, |stream| async { Some(stream) }).await
    }

    /// The same behind a door that every connection must pass.
    pub(crate) async fn behind<S: Stream, F: Future<Output = Option<S>> + Send + 'static>(
        scheme: &str,
        replies: impl IntoIterator<Item = Reply>,
        door: impl Fn(TcpStream) -> F + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{scheme}://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        let replies: VecDeque<Reply> = replies.into_iter().collect();
        tasks.spawn(serve(listener, replies, asked.clone(), door));
        Self { url, asked, _tasks: tasks }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// What requests come in by.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

async fn serve<S: Stream, F: Future<Output = Option<S>>>(
    listener: TcpListener,
    mut replies: VecDeque<Reply>,
    asked: Arc<Mutex<Vec<Asked>>>,
    door: impl Fn(TcpStream) -> F,
) {
    let mut silent = Vec::new();
    while !replies.is_empty() {
        let (stream, _) = listener.accept().await.unwrap();
        let Some(stream) = door(stream).await else { continue };
        let Some(reply) = replies.pop_front() else { break };
        let mut stream = BufReader::new(stream);
        let request = read(&mut stream).await;
        asked.lock().unwrap().push(request);
        write(stream.get_mut(), &reply).await;
        if reply.end == End::Silence {
            silent.push(stream);
        }
    }
}

async fn read<S: Stream>(stream: &mut BufReader<S>) -> Asked {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let headers: Vec<(String, String)> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
    stream.read_exact(&mut body).await.unwrap();
    Asked { line: lines[0].clone(), headers, body: serde_json::from_slice(&body).unwrap() }
}

/// Writes in chunks, each for itself; whoever hung up already is not waited for.
async fn write<S: Stream>(stream: &mut S, reply: &Reply) {
    let mut head =
        format!("HTTP/1.1 {} Reply\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let mut written = stream.write_all(head.as_bytes()).await;
    for piece in &reply.pieces {
        let size = format!("{:x}\r\n", piece.len());
        let chunk = [size.as_bytes(), piece.as_slice(), b"\r\n"].concat();
        if written.is_ok() {
            written = stream.write_all(&chunk).await;
        }
    }
    if written.is_ok() && reply.end == End::Properly {
        written = stream.write_all(b"0\r\n\r\n").await;
    }
    if written.is_ok() {
        let _ = stream.flush().await;
    }
}
