//! Where a person's lines come from: a line that is edited on a terminal, plain lines elsewhere.

use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::Path;

use super::line;
use crate::failure::Failure;
use crate::screen::{Screen, Stream};
use crate::text::Role;
use crate::typing::{ChatInput, Complete, History, Typed};
use crate::view;

/// How long a line may be.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Where lines come from.
pub(crate) enum Input {
    /// A person at a terminal on which lines can be drawn again.
    Terminal(Box<ChatInput>),
    /// A person at one on which they cannot.
    Plain,
    /// A pipe or a file.
    Lines,
}

impl Input {
    /// A person at a terminal. The history is in a file that only its owner can read; files are those of a folder.
    pub(crate) fn terminal(screen: Screen, history: &Path, folder: &Path) -> Self {
        if !screen.can_draw() {
            return Self::Plain;
        }
        let complete = Complete { commands: line::words().collect(), folder: folder.to_owned() };
        Self::Terminal(Box::new(ChatInput::new(History::open(history), complete)))
    }

    /// Whether a person sits there.
    pub(super) fn is_person(&self) -> bool {
        matches!(self, Self::Terminal(_) | Self::Plain)
    }

    /// Where a person types while the agent works.
    pub(super) fn chat_input(&mut self) -> Option<&mut ChatInput> {
        match self {
            Self::Terminal(chat_input) => Some(chat_input),
            Self::Plain | Self::Lines => None,
        }
    }

    /// Leaves the keys to a question.
    pub(super) fn release(&mut self) {
        if let Self::Terminal(chat_input) = self {
            chat_input.release();
        }
    }

    /// The next line. A message that was queued is one, unless something is asked that its person had not seen.
    pub(super) async fn next(&mut self, is_question: bool, screen: Screen) -> Result<Typed, Failure> {
        let paint = screen.paint(Stream::Notes);
        match self {
            Self::Terminal(chat_input) => {
                if !is_question && let Some(queued) = chat_input.take_queued() {
                    let mut lines = view::said_by_person(&queued);
                    lines.retain(|line| !line.is_blank());
                    screen.notes(&lines);
                    return Ok(Typed::Line(queued));
                }
                let prompt = paint.painted(if paint.unicode { "›" } else { ">" }, Role::Strong);
                Ok(chat_input.read(&format!("{prompt}  "), is_question).await)
            }
            Self::Plain => {
                drop(io::stderr().write_all(b"> "));
                plain_line().await
            }
            Self::Lines => plain_line().await,
        }
    }
}

async fn plain_line() -> Result<Typed, Failure> {
    let read = tokio::task::spawn_blocking(read_line);
    let read = tokio::select! {
        read = read => read.unwrap_or_else(|error| Err(io::Error::other(error))),
        _ = tokio::signal::ctrl_c() => return Ok(Typed::End),
    };
    read.map_err(|error| Failure::machine(&format!("standard input cannot be read: {error}")))
}

fn read_line() -> io::Result<Typed> {
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock();
    input.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut bytes)?;
    if bytes.len() as u64 > LINE_BYTES_MAX {
        return Err(io::Error::other(format!("a line is longer than {LINE_BYTES_MAX} bytes")));
    }
    if bytes.is_empty() {
        return Ok(Typed::End);
    }
    String::from_utf8(bytes).map(Typed::Line).map_err(io::Error::other)
}
