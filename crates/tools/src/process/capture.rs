//! What is kept of an output, however much there is of it.

use std::collections::VecDeque;

/// The beginning and the end of an output. Never holds more than its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_max: usize,
    tail_max: usize,
    total: u64,
}

impl Capture {
    /// Keeps so many bytes, half of them from the end.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let tail_max = bytes_max / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), head_max: bytes_max - tail_max, tail_max, total: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let room = self.head_max.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(self.tail_max)..).unwrap_or_default();
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_max);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// How many bytes were printed and not kept.
    pub(crate) fn left_out(&self) -> u64 {
        let kept = u64::try_from(self.head.len() + self.tail.len()).unwrap_or(u64::MAX);
        self.total.saturating_sub(kept)
    }

    /// The kept text; where something is missing, it says how much.
    pub(crate) fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        match self.left_out() {
            // Together, for a character may lie across the middle.
            0 => String::from_utf8_lossy(&[self.head.as_slice(), &tail].concat()).into_owned(),
            bytes => format!(
                "{}\n[{bytes} bytes left out]\n{}",
                String::from_utf8_lossy(&self.head),
                String::from_utf8_lossy(&tail)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for size in [1, 3, 26] {
            let mut capture = Capture::new(8);
            b"abcdefghijklmnopqrstuvwxyz".chunks(size).for_each(|chunk| capture.push(chunk));
            assert_eq!(capture.text(), "abcd\n[18 bytes left out]\nwxyz", "in chunks of {size}");
        }
    }

    #[test]
    fn a_flood_takes_no_more_room_than_the_limit() {
        let mut capture = Capture::new(1_000);
        (0..10_000).for_each(|_| capture.push(&[b'x'; 8_192]));
        let room = capture.head.capacity() + capture.tail.capacity();
        assert!(room <= 4_000, "{room} bytes for 80 MB");
        assert_eq!(capture.left_out(), 10_000 * 8_192 - 1_000);
    }

    #[test]
    fn what_fits_is_whole() {
        let mut capture = Capture::new(5);
        capture.push("abž".as_bytes());
        capture.push(b"d");
        assert_eq!((capture.text().as_str(), capture.left_out()), ("abžd", 0));
    }
}
