//! Cutting a stream of bytes into server-sent events, in one pass and within a bound.

/// How large the data of one event may be, its line included.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// An event was larger than anybody sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Cuts a stream into the data of its events. Names, ids and comments are of no use here: every
/// provider repeats in the data what matters.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// The line that is not over yet.
    line: Vec<u8>,
    /// The data of the event that is not over yet; none before its first line of data.
    data: Option<Vec<u8>>,
    /// Whether the last byte was a carriage return, which a line feed may still complete.
    after_return: bool,
    /// Whether a line has ended already.
    begun: bool,
}

impl Splitter {
    /// Takes the next bytes, and hands the data of every event they complete to `found`.
    pub(super) fn take(&mut self, bytes: &[u8], found: &mut Vec<String>) -> Result<(), TooLarge> {
        let mut rest = bytes;
        if std::mem::take(&mut self.after_return) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = bytes.is_empty();
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, ended) = rest.split_at(end);
            self.extend_line(line)?;
            self.end_line(found);
            rest = match ended {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.extend_line(rest)
    }

    /// The data of an event whose closing blank line never came.
    pub(super) fn end(mut self) -> Option<String> {
        let mut found = Vec::new();
        self.end_line(&mut found);
        self.end_event(&mut found);
        found.pop()
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let held = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
        if held + bytes.len() > EVENT_BYTES_MAX {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, found: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        let first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| first).unwrap_or(&line);
        if line.is_empty() {
            return self.end_event(found);
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => &[],
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            // Another field, or a comment.
            Some(_) | None => return,
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    fn end_event(&mut self, found: &mut Vec<String>) {
        let data = self.data.take();
        found.extend(data.map(|data| String::from_utf8_lossy(&data).into_owned()));
    }
}
