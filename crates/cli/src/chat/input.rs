//! Where a person's lines come from: an editor with a history on a terminal, plain lines elsewhere.

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

use super::line;
use crate::failure::Failure;
use crate::screen::forget_typed;

/// How long a line may be.
const LINE_BYTES_MAX: u64 = 1 << 20;
const HISTORY_LINES_MAX: usize = 1_000;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Line(String),
    /// Ctrl-C, with nothing at work.
    Interrupted,
    /// The input has ended.
    End,
}

/// Where lines come from.
pub(crate) enum Input {
    /// A person at a terminal. The editor is away while it reads.
    Terminal { editor: Option<Box<Editor<Commands, FileHistory>>>, history: PathBuf },
    /// A pipe or a file.
    Lines,
}

impl Input {
    /// A terminal. Its history is in a file that only its owner can read.
    pub(crate) fn terminal(history: &Path) -> Result<Self, Failure> {
        let unusable =
            |error: ReadlineError| Failure::machine(&format!("the terminal cannot be used: {error}"));
        let settings = Config::builder()
            .max_history_size(HISTORY_LINES_MAX)
            .map_err(unusable)?
            .history_ignore_space(true)
            .build();
        let mut editor = Editor::with_config(settings).map_err(unusable)?;
        editor.set_helper(Some(Commands));
        let made = OpenOptions::new().create(true).append(true).mode(0o600).open(history);
        // Without a history one can still talk.
        if made.is_ok() {
            drop(editor.load_history(history));
        }
        Ok(Self::Terminal { editor: Some(Box::new(editor)), history: history.to_owned() })
    }

    /// Whether a person sits there.
    pub(super) fn is_person(&self) -> bool {
        matches!(self, Self::Terminal { .. })
    }

    /// The next line. What was typed before a question was there does not answer it.
    pub(super) async fn next(&mut self, prompt: &str, is_question: bool) -> Result<Typed, Failure> {
        if is_question && self.is_person() {
            forget_typed();
        }
        match self {
            Self::Terminal { editor, history } => edited(editor, history, prompt).await,
            Self::Lines => {
                let read = tokio::task::spawn_blocking(read_line);
                let read = tokio::select! {
                    read = read => read.unwrap_or_else(|error| Err(io::Error::other(error))),
                    _ = tokio::signal::ctrl_c() => return Ok(Typed::End),
                };
                read.map_err(|error| Failure::machine(&format!("standard input cannot be read: {error}")))
            }
        }
    }
}

async fn edited(
    place: &mut Option<Box<Editor<Commands, FileHistory>>>,
    history: &Path,
    prompt: &str,
) -> Result<Typed, Failure> {
    let Some(mut editor) = place.take() else { return Ok(Typed::End) };
    let prompt = prompt.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let read = editor.readline(&prompt);
        (editor, read)
    });
    let Ok((mut editor, read)) = read.await else { return Ok(Typed::End) };
    let typed = match read {
        Ok(line) => {
            // A history that cannot be kept is no reason to stop.
            if editor.add_history_entry(&line).unwrap_or(false) {
                drop(editor.append_history(history));
            }
            Ok(Typed::Line(line))
        }
        Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
        Err(ReadlineError::Eof) => Ok(Typed::End),
        Err(error) => Err(Failure::machine(&format!("the terminal cannot be read: {error}"))),
    };
    *place = Some(editor);
    typed
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

/// Completes the words of commands.
pub(crate) struct Commands;

impl Completer for Commands {
    type Candidate = String;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..pos).unwrap_or_default();
        let begins = |word: &String| !typed.is_empty() && word.starts_with(typed);
        Ok((0, line::words().map(|word| format!("/{word}")).filter(begins).collect()))
    }
}

impl Hinter for Commands {
    type Hint = String;
}

impl Highlighter for Commands {}
impl Validator for Commands {}
impl Helper for Commands {}
