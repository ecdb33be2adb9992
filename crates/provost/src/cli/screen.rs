//! Where words go: data to standard output, everything else to standard error.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use serde_json::{Value, json};

use super::failure::Failure;

/// The terminal, or whatever stands in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    json: bool,
}

impl Screen {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether machines read.
    pub(super) fn is_json(self) -> bool {
        self.json
    }

    /// A line of data. A reader that went away is no failure of ours.
    pub(super) fn data(self, line: &str) {
        drop(writeln!(io::stdout().lock(), "{}", line.trim_end_matches('\n')));
    }

    /// One JSON document a line.
    pub(super) fn document(self, document: &Value) {
        self.data(&document.to_string());
    }

    /// The same thing for machines or for people.
    pub(super) fn show(self, document: &Value, text: impl FnOnce() -> String) {
        if self.json {
            self.document(document);
        } else {
            self.data(&text());
        }
    }

    /// A line that is no data.
    pub(super) fn note(self, line: &str) {
        drop(writeln!(io::stderr().lock(), "{line}"));
    }

    /// The same, for people alone.
    pub(super) fn tell(self, line: &str) {
        if !self.json {
            self.note(line);
        }
    }

    /// What went wrong, and what to do.
    pub(super) fn failure(self, failure: &Failure) {
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
    pub(super) fn can_ask(self) -> bool {
        !self.json && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks, and waits for a line; none when there is nobody any more.
    pub(super) async fn ask(self, question: &str) -> Option<String> {
        drop(write!(io::stderr().lock(), "{question}"));
        drop(io::stderr().flush());
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).ok().filter(|bytes| *bytes > 0).map(|_| line)
        });
        read.await.ok().flatten()
    }
}
