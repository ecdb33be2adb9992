//! Output: data to standard output, everything else to standard error.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use crossterm::terminal;
use provost_project::{Colors, environment};
use serde_json::{Value, json};

use crate::failure::{Code, Failure};
use crate::interrupts::Interrupts;
use crate::text::{ColorChoice, Line, Mark, Paint, Role, Span, Style, Writer, escaped as safe, styled};
use crate::typing;
use crate::view::fact;

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

/// The smallest terminal with marks and columns; on a smaller one lines are plain.
const COLUMNS_MIN: usize = 60;
const ROWS_MIN: usize = 10;

/// The terminal, or the file or pipe in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    json: bool,
    /// Whether nothing may be drawn anew.
    plain: bool,
    color: ColorChoice,
    colors: Colors,
}

impl Screen {
    pub(crate) fn new(json: bool, plain: bool, color: ColorChoice) -> Self {
        Self { json, plain: plain || environment::has("ACCESSIBLE"), color, colors: Colors::of_person() }
    }

    /// Whether lines can be drawn anew.
    pub(crate) fn can_draw(self) -> bool {
        !self.json && self.is_terminal(Stream::Notes) && self.paint(Stream::Notes).style != Style::Plain
    }

    /// How text is written to a stream.
    pub(crate) fn paint(self, stream: Stream) -> Paint {
        let is_terminal = self.is_terminal(stream);
        let columns = if is_terminal { columns() } else { environment::columns() };
        let small =
            is_terminal && (columns.is_some_and(|columns| columns < COLUMNS_MIN) || rows() < ROWS_MIN);
        let plain = self.plain || small || (is_terminal && environment::is_dumb_terminal());
        let style = Style::decide(self.color, plain, is_terminal);
        Paint { style, unicode: environment::is_utf8(), columns, colors: self.colors }
    }

    /// Text that is ready to be written.
    pub(crate) fn raw(self, stream: Stream, text: &str) {
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

    /// Lines of data.
    pub(crate) fn lines(self, lines: &[Line]) {
        Printer::new(self, Stream::Data).print(lines);
    }

    /// Lines that are no data, for people alone.
    pub(crate) fn notes(self, lines: &[Line]) {
        if !self.json {
            Printer::new(self, Stream::Notes).print(lines);
        }
    }

    /// Whether machines read.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// A line of data.
    pub(crate) fn data(self, line: &str) {
        let mut stdout = io::stdout().lock();
        let line = harmless(line.trim_end_matches('\n'));
        let line = if self.json { line } else { self.wrapped(Stream::Data, &line) };
        if let Err(error) = writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
            // Only the first error is stored; the run continues.
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
                Err(Failure::new(Code::Output, message).hint("the output is incomplete"))
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
        let line = harmless(line);
        let line = if self.json { line } else { self.wrapped(Stream::Notes, &line) };
        drop(writeln!(io::stderr().lock(), "{line}"));
    }

    /// A text whose lines fit the terminal that it goes to. What goes elsewhere stays as it is.
    fn wrapped(self, stream: Stream, text: &str) -> String {
        if !self.is_terminal(stream) {
            return text.to_owned();
        }
        let paint = Paint { style: Style::Plain, ..self.paint(stream) };
        let line = |text: &str| {
            let indent = text.len() - text.trim_start_matches(' ').len();
            let mut line = Line::new(Mark::Nothing, "", vec![Span::text(text)]);
            line.hang = indent;
            if text.is_empty() { "\n".to_owned() } else { styled(&[line], paint) }
        };
        let text: String = text.split('\n').map(line).collect();
        text.trim_end_matches('\n').to_owned()
    }

    /// The same, for people alone.
    pub(crate) fn tell(self, line: &str) {
        if !self.json {
            self.note(line);
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
        let mut message = failure.message.lines();
        let first = message.next().unwrap_or_default();
        let head = vec![Span::new(format!("error[{code}]"), Role::Bad), Span::text(format!(": {first}"))];
        let mut lines = vec![Line::note("", head).gutter(3)];
        lines.extend(message.map(|line| Line::note("", vec![Span::text(line)])));
        lines.extend(failure.hint.as_ref().map(|hint| fact("try", vec![Span::text(hint)])));
        lines.push(fact("more", vec![Span::text(format!("provost explain {code}"))]));
        Printer::new(self, Stream::Notes).print(&lines);
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(self) -> bool {
        !self.json && io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Asks, and waits for a line; none when it is answered later.
    pub(crate) async fn ask(self, question: &str) -> Option<String> {
        let answered = async {
            match self.can_draw() {
                true => typing::answer(question).await,
                false => typing::plain_answer(question).await,
            }
        };
        // SIGTERM and SIGHUP leave the question open too, and the command says how to answer it later.
        let mut interrupts = Interrupts::listen();
        tokio::select! {
            line = answered => return line,
            _ = interrupts.next() => {}
        }
        // The next line must not continue the prompt.
        self.raw(Stream::Notes, "\n");
        None
    }
}

/// Writes lines to a stream; two empty ones in a row become one.
pub(crate) struct Printer {
    screen: Screen,
    stream: Stream,
    writer: Writer,
    after_blank: bool,
}

impl Printer {
    pub(crate) fn new(screen: Screen, stream: Stream) -> Self {
        Self { screen, stream, writer: Writer::new(screen.paint(stream)), after_blank: true }
    }

    pub(crate) fn print(&mut self, lines: &[Line]) {
        // A terminal may have another size by now.
        self.writer.paint = self.screen.paint(self.stream);
        for line in lines {
            if !(line.is_blank() && self.after_blank) {
                self.screen.raw(self.stream, &self.writer.written(line));
            }
            self.after_blank = line.is_blank();
        }
    }

    /// The rows that lines would take, painted.
    pub(crate) fn rows(&mut self, lines: &[Line]) -> Vec<String> {
        self.writer.paint = self.screen.paint(self.stream);
        lines.iter().flat_map(|line| self.writer.rows(line)).collect()
    }
}

/// The width of the terminal: from the environment, or as the terminal reports it.
fn columns() -> Option<usize> {
    let size = || terminal::size().ok().map(|(columns, _)| usize::from(columns));
    environment::columns().or_else(size).filter(|columns| *columns > 0)
}

fn rows() -> usize {
    terminal::size().map_or(usize::MAX, |(_, rows)| rows.into())
}

/// A JSON document in lines, for people and for files.
pub(crate) fn indented(document: &Value) -> String {
    escaped(&format!("{document:#}"))
}

/// Removes control characters: a file that is shown must not draw over the question.
fn harmless(text: &str) -> String {
    text.split('\n').map(safe).collect::<Vec<_>>().join("\n")
}

/// Escapes control characters. They occur only inside JSON strings, so the document stays the same.
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
        // Bidirectional marks can make a diff read differently from what runs.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_draw_on_the_terminal() {
        assert_eq!(harmless("a\tb\nc"), "a    b\nc");
        assert_eq!(harmless("\u{1b}[2Jgone\r\u{202e}"), "\\e[2Jgone\\r\\u{202e}");
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
