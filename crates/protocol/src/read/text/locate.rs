//! Converts a JSON pointer to a byte offset, and an offset to line and column.

use std::borrow::Cow;

/// Returns the line and column of an offset, both from 1; the column counts characters.
pub(crate) fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(byte.min(text.len()))).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
}

/// Returns the offset of the value of a pointer in valid JSON text. A pointer to a missing value resolves
/// to the last existing value on its path, where the missing one belongs.
pub(crate) fn locate(text: &str, pointer: &str) -> usize {
    let mut scan = Scan { text, at: 0 };
    scan.space();
    let mut found = scan.at;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if !scan.enter(&token) {
            return found;
        }
        found = scan.at;
    }
    found
}

/// A scanner of valid JSON text.
struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Moves to the child with a name or index; returns false if there is none.
    fn enter(&mut self, token: &str) -> bool {
        match self.peek() {
            Some(b'{') => self.children(|_, key| key.as_deref() == Some(token)),
            Some(b'[') => self.children(|index, _| token.parse() == Ok(index)),
            Some(_) | None => false,
        }
    }

    /// Visits the children of the container until one matches.
    fn children(&mut self, wanted: impl Fn(usize, Option<Cow<'_, str>>) -> bool) -> bool {
        let keyed = self.peek() == Some(b'{');
        self.at += 1;
        for index in 0.. {
            self.space();
            if matches!(self.peek(), None | Some(b'}' | b']')) {
                return false;
            }
            let key = keyed.then(|| self.key());
            self.space();
            if wanted(index, key) {
                return true;
            }
            self.value();
            self.space();
            self.at += usize::from(self.peek() == Some(b','));
        }
        false
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Cow<'static, str> {
        let start = self.at;
        self.string();
        let raw = self.text.get(start..self.at).unwrap_or_default();
        let key = serde_json::from_str::<String>(raw).unwrap_or_default();
        self.space();
        self.at += 1;
        key.into()
    }

    /// Skips a value of any kind without recursion.
    fn value(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                None => return,
                Some(b'"') => self.string(),
                Some(b'{' | b'[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b'}' | b']') if depth == 0 => return,
                Some(b'}' | b']') => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b',') if depth == 0 => return,
                Some(_) => self.at += 1,
            }
            if depth == 0 && matches!(self.peek(), None | Some(b',' | b'}' | b']')) {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_to_its_value_and_a_dead_one_to_its_parent() {
        let text = r#" {"a": [1, {"b\"/": "x]"}, []], "c" : null}"#;
        let at = |pointer: &str| text.get(locate(text, pointer)..).unwrap();
        assert!(at("").starts_with("{\"a\""));
        assert!(at("/a/0").starts_with("1,"));
        assert!(at("/a/1/b\"~1").starts_with("\"x]\""));
        assert!(at("/a/2").starts_with("[]]"));
        assert!(at("/c").starts_with("null"));
        assert!(at("/a/7").starts_with("[1"));
        assert!(at("/missing/deep").starts_with("{\"a\""));
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(line_column("é\nçà", 5), (2, 2));
    }
}
