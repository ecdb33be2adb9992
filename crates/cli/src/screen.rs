//! Where words go: data to standard output, everything else to standard error.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use crossterm::terminal;
use provost_project::environment;
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::fold::fold;

/// Why data could not be written, when it could not.
static UNWRITTEN: OnceLock<io::Error> = OnceLock::new();

/// Where a word goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Data,
    /// Standard error.
    Notes,
}

/// The terminal, or whatever stands in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    json: bool,
    /// Whether nothing may be drawn anew.
    plain: bool,
}

impl Screen {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, plain: false }
    }

    /// The same, on which nothing is drawn anew when somebody says so.
    pub(crate) fn only_adding(self, plain: bool) -> Self {
        Self { plain, ..self }
    }

    /// Whether lines can be drawn anew.
    pub(crate) fn can_draw(self) -> bool {
        !self.json && !self.plain && !environment::is_dumb_terminal() && io::stderr().is_terminal()
    }

    /// Whether machines read.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// A line of data.
    pub(crate) fn data(self, line: &str) {
        let mut stdout = io::stdout().lock();
        let line = self.fitting(Stream::Data, harmless(line.trim_end_matches('\n')));
        if let Err(error) = writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
            // The first one says why; a run goes on whoever listens.
            drop(UNWRITTEN.set(error));
        }
    }

    /// Whether all data was written. A reader that went away wanted no more; a disk that is full lost some.
    pub(crate) fn written() -> Result<(), Failure> {
        match UNWRITTEN.get() {
            None => Ok(()),
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Some(error) => {
                let message = format!("standard output could not be written: {error}");
                Err(Failure::new(Code::Output, message).hint("what is there is not complete"))
            }
        }
    }

    /// One JSON document a line.
    pub(crate) fn document(self, document: &Value) {
        self.data(&escaped(&document.to_string()));
    }

    /// The same thing for machines or for people.
    pub(crate) fn show(self, document: &Value, text: impl FnOnce() -> String) {
        if self.json {
            self.document(document);
        } else {
            self.data(&text());
        }
    }

    /// A line that is no data.
    pub(crate) fn note(self, line: &str) {
        let line = self.fitting(Stream::Notes, harmless(line));
        drop(writeln!(io::stderr().lock(), "{line}"));
    }

    /// A text broken to the width of the terminal it goes to. What goes elsewhere stays as it is.
    fn fitting(self, stream: Stream, text: String) -> String {
        if self.json || !self.is_terminal(stream) {
            return text;
        }
        let size = || terminal::size().ok().map(|(columns, _)| usize::from(columns));
        match environment::columns().or_else(size).filter(|columns| *columns > 0) {
            Some(columns) => fold(&text, columns),
            None => text,
        }
    }

    /// The same, for people alone.
    pub(crate) fn tell(self, line: &str) {
        if !self.json {
            self.note(line);
        }
    }

    /// A piece of a text, as it comes.
    pub(crate) fn piece(self, stream: Stream, text: &str) {
        let text = harmless(text);
        match stream {
            Stream::Data => {
                let mut stdout = io::stdout().lock();
                if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
                    drop(UNWRITTEN.set(error));
                }
            }
            Stream::Notes => drop(io::stderr().lock().write_all(text.as_bytes())),
        }
    }

    /// Whether a person sees what goes there.
    pub(crate) fn is_terminal(self, stream: Stream) -> bool {
        match stream {
            Stream::Data => io::stdout().is_terminal(),
            Stream::Notes => io::stderr().is_terminal(),
        }
    }

    /// What went wrong, and what to do.
    pub(crate) fn failure(self, failure: &Failure) {
        let code = failure.code.word();
        if self.json {
            let error = json!({ "code": code, "message": failure.message, "hint": failure.hint });
            self.document(&json!({ "type": "error", "error": error }));
            return;
        }
        self.note(&format!("error[{code}]: {}", failure.message));
        if let Some(hint) = &failure.hint {
            self.note(&format!("hint: {hint}"));
        }
        self.note(&format!("more: provost explain {code}"));
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(self) -> bool {
        !self.json && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks, and waits for a line; none when there is nobody any more.
    pub(crate) async fn ask(self, question: &str) -> Option<String> {
        forget_typed();
        drop(write!(io::stderr().lock(), "{question}"));
        drop(io::stderr().flush());
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_| line)
        });
        tokio::select! {
            line = read => line.ok().flatten(),
            // Whoever does not want to answer now answers later.
            _ = tokio::signal::ctrl_c() => None,
        }
    }
}

/// Throws away what was typed before a question was there: it was meant for something else.
pub(crate) fn forget_typed() {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        // A terminal that cannot forget is asked all the same.
        let _ = rustix::termios::tcflush(&stdin, rustix::termios::QueueSelector::IFlush);
    }
}

/// A JSON document in lines, for people and for files.
pub(crate) fn indented(document: &Value) -> String {
    escaped(&format!("{document:#}"))
}

/// A text without what a terminal would obey: a file that is shown must not draw over the question.
fn harmless(text: &str) -> String {
    text.chars().map(|letter| if is_harmless(letter) { letter } else { '\u{fffd}' }).collect()
}

/// JSON without what a terminal would obey, and with all it says: such letters stand in texts alone, where JSON
/// has another way to write them.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_harmless(letter) {
            text.push(letter);
        } else {
            text.push_str(&format!("\\u{:04x}", u32::from(letter)));
        }
    }
    text
}

fn is_harmless(letter: char) -> bool {
    match letter {
        '\n' | '\t' => true,
        // Marks that turn the direction of writing make a diff read otherwise than it runs.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_draw_on_the_terminal() {
        assert_eq!(harmless("a\tb\nc"), "a\tb\nc");
        assert_eq!(harmless("\u{1b}[2Jgone\r\u{202e}"), "\u{fffd}[2Jgone\u{fffd}\u{fffd}");
    }

    #[test]
    fn json_keeps_what_a_terminal_would_obey_and_hides_it() {
        let document = json!({ "text": "a\u{202e}b\u{9b}2J\u{7f}\n\u{1b}" });
        for text in [escaped(&document.to_string()), indented(&document)] {
            assert!(text.chars().all(is_harmless), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&text).ok().as_ref(), Some(&document));
        }
    }
}
