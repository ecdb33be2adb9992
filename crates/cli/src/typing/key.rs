//! Keys, from the bytes that a terminal sends for them.

/// What a person typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Letter(char),
    Enter,
    /// Alt-Enter.
    LineBreak,
    Tab,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    WordLeft,
    WordRight,
    /// Takes away the word before the cursor, the one behind it, all before it, all behind it.
    CutWordLeft,
    CutWordRight,
    CutLeft,
    CutRight,
    /// Puts back what was taken away.
    PutBack,
    Escape,
    /// Ctrl-D.
    CtrlD,
    /// A text that was pasted.
    Paste(String),
}

const ESCAPE: u8 = 0x1b;
const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// How large a paste may be.
const PASTE_BYTES_MAX: usize = 1 << 20;

/// Bytes on their way to keys.
#[derive(Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    /// Takes in bytes, and returns the complete keys.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.0.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, taken)) = next(&self.0) {
            self.0.drain(..taken.max(1));
            keys.extend(key);
        }
        if self.0.len() > PASTE_BYTES_MAX {
            self.0.clear();
        }
        keys
    }

    /// Whether more must follow, or time pass.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_empty() && !self.0.starts_with(PASTE_BEGINS)
    }

    /// Nothing followed: an escape by itself is a key, and any other incomplete sequence is dropped.
    pub(super) fn pause(&mut self) -> Option<Key> {
        if !self.is_open() {
            return None;
        }
        let alone = self.0 == [ESCAPE];
        self.0.clear();
        alone.then_some(Key::Escape)
    }
}

/// The first key, if it is one that means something, and how many bytes it took; none when more must follow.
fn next(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let (first, rest) = bytes.split_first()?;
    match *first {
        ESCAPE => escaped(bytes, rest),
        0..=31 | 127 => Some((control(*first), 1)),
        _ => letter(bytes),
    }
}

fn control(byte: u8) -> Option<Key> {
    Some(match byte {
        b'\r' | b'\n' => Key::Enter,
        b'\t' => Key::Tab,
        1 => Key::Home,
        2 => Key::Left,
        4 => Key::CtrlD,
        5 => Key::End,
        6 => Key::Right,
        8 | 127 => Key::Backspace,
        11 => Key::CutRight,
        14 => Key::Down,
        16 => Key::Up,
        21 => Key::CutLeft,
        23 => Key::CutWordLeft,
        25 => Key::PutBack,
        _ => return None,
    })
}

fn letter(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let size = match bytes.first()? {
        0..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return Some((None, 1)),
    };
    let whole = bytes.get(..size)?;
    let letter = std::str::from_utf8(whole).ok().and_then(|text| text.chars().next());
    // Control characters are not letters.
    let key = letter.filter(|letter| !letter.is_control()).map(Key::Letter);
    Some((key, if letter.is_some() { size } else { 1 }))
}

/// What stands behind an escape: a sequence, or a key with Alt.
fn escaped(bytes: &[u8], rest: &[u8]) -> Option<(Option<Key>, usize)> {
    if bytes.starts_with(PASTE_BEGINS) {
        let text = bytes.get(PASTE_BEGINS.len()..)?;
        let end = text.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS)?;
        let pasted = String::from_utf8_lossy(text.get(..end)?).replace("\r\n", "\n").replace('\r', "\n");
        return Some((Some(Key::Paste(pasted)), PASTE_BEGINS.len() + end + PASTE_ENDS.len()));
    }
    match rest.first()? {
        b'[' | b'O' => sequence(rest),
        b'\r' | b'\n' => Some((Some(Key::LineBreak), 2)),
        b'b' => Some((Some(Key::WordLeft), 2)),
        b'f' => Some((Some(Key::WordRight), 2)),
        b'd' => Some((Some(Key::CutWordRight), 2)),
        8 | 127 => Some((Some(Key::CutWordLeft), 2)),
        // Two escapes in a row: the first is a key.
        &ESCAPE => Some((Some(Key::Escape), 1)),
        _ => Some((None, 2)),
    }
}

/// `ESC [ numbers letter`, and `ESC O letter`.
fn sequence(rest: &[u8]) -> Option<(Option<Key>, usize)> {
    let body = rest.get(1..)?;
    let end = body.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
    let (numbers, last) = (body.get(..end)?, body.get(end)?);
    // Ctrl, Alt or Shift with an arrow go by words.
    let is_changed = numbers.contains(&b';');
    let key = match (last, numbers) {
        (b'A', _) => Some(Key::Up),
        (b'B', _) => Some(Key::Down),
        (b'C', _) => Some(if is_changed { Key::WordRight } else { Key::Right }),
        (b'D', _) => Some(if is_changed { Key::WordLeft } else { Key::Left }),
        (b'H', _) | (b'~', b"1" | b"7") => Some(Key::Home),
        (b'F', _) | (b'~', b"4" | b"8") => Some(Key::End),
        (b'~', b"3") => Some(Key::Delete),
        _ => None,
    };
    Some((key, end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(pieces: &[&str]) -> Vec<Key> {
        let mut bytes = Bytes::default();
        let mut keys: Vec<Key> = pieces.iter().flat_map(|piece| bytes.take(piece.as_bytes())).collect();
        keys.extend(bytes.pause());
        keys
    }

    #[test]
    fn bytes_become_keys_however_they_are_cut() {
        let text = "aé漢\r\u{1b}[A\u{1b}[1;5D\u{1b}\r\u{1b}[200~x\r\ny\u{1b}[201~\u{1b}[3~\u{1b}OH\u{7f}";
        let whole = keys(&[text]);
        let expected = [
            Key::Letter('a'),
            Key::Letter('é'),
            Key::Letter('漢'),
            Key::Enter,
            Key::Up,
            Key::WordLeft,
            Key::LineBreak,
            Key::Paste("x\ny".to_owned()),
            Key::Delete,
            Key::Home,
            Key::Backspace,
        ];
        assert_eq!(whole, expected);
        let mut bytes = Bytes::default();
        let single: Vec<Key> = text.as_bytes().iter().flat_map(|byte| bytes.take(&[*byte])).collect();
        assert_eq!(single, expected);
    }

    #[test]
    fn an_escape_alone_is_a_key_and_nonsense_is_none() {
        assert_eq!(keys(&["\u{1b}"]), [Key::Escape]);
        assert_eq!(keys(&["\u{1b}[99;99x", "\u{0}\u{1c}", "z"]), [Key::Letter('z')]);
        assert_eq!(keys(&["\u{1b}["]), []);
        let mut bytes = Bytes::default();
        assert_eq!(bytes.take(b"\xff\xc3z"), [Key::Letter('z')]);
    }
}
