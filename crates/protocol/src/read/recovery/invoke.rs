//! A call in the notation `<invoke name="…"><parameter name="…">…</parameter></invoke>`.

use std::ops::Range;

use crate::Code;
use crate::read::text::Document;

const OPEN: &str = "<invoke";
const CLOSE: &str = "</invoke>";
const PARAMETER: &str = "<parameter";
const PARAMETER_CLOSE: &str = "</parameter>";

/// A complete call; parameters are unparsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invoke {
    pub(super) name: String,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) range: Range<usize>,
}

/// Returns the offsets at which a call starts, outside code.
pub(super) fn find_invokes(document: &Document<'_>) -> Vec<usize> {
    let text = document.text();
    let starts = text.match_indices(OPEN).map(|(at, _)| at).filter(|at| {
        let next = text.get(at + OPEN.len()..).and_then(|rest| rest.chars().next());
        next.is_none_or(|c| c.is_whitespace() || c == '>')
    });
    starts.filter(|at| !document.is_code(*at)).collect()
}

/// Parses the call at an offset. A truncated call is incomplete, anything unexpected is unsafe.
pub(super) fn read_invoke(text: &str, start: usize) -> Result<Invoke, Code> {
    let mut reader = Reader { text, at: start };
    let name = reader.tag(OPEN)?;
    let mut parameters: Vec<(String, String)> = Vec::new();
    loop {
        reader.space();
        if reader.eat(CLOSE) {
            return Ok(Invoke { name, parameters, range: start..reader.at });
        }
        let parameter = reader.tag(PARAMETER)?;
        let value = reader.until(PARAMETER_CLOSE)?;
        let nested = [OPEN, CLOSE, PARAMETER].iter().any(|tag| value.contains(tag));
        if nested || parameters.iter().any(|(known, _)| *known == parameter) {
            return Err(Code::UnsafeRecovery);
        }
        parameters.push((parameter, value));
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Code> {
        if self.eat(token) {
            return Ok(());
        }
        // A text that ends inside the token was truncated; any other text is not a known notation.
        let cut = token.starts_with(self.rest());
        Err(if cut { Code::IncompleteOutput } else { Code::UnsafeRecovery })
    }

    /// Parses `<tag name="…">` and returns the name.
    fn tag(&mut self, open: &str) -> Result<String, Code> {
        self.expect(open)?;
        self.space();
        self.expect("name")?;
        self.space();
        self.expect("=")?;
        self.space();
        let quote = if self.rest().starts_with('\'') { "'" } else { "\"" };
        self.expect(quote)?;
        let name = self.until(quote)?;
        self.space();
        self.expect(">")?;
        Ok(name.trim().to_owned())
    }

    fn until(&mut self, end: &str) -> Result<String, Code> {
        let length = self.rest().find(end).ok_or(Code::IncompleteOutput)?;
        let value = self.rest().get(..length).unwrap_or_default().to_owned();
        self.at += length + end.len();
        Ok(value)
    }
}
