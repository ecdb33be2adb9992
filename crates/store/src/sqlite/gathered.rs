//! Bytes on their way to a file that are written in one piece.

/// No more is gathered, unless it is given at once: SQLite's own layer is made for the longest page.
pub(super) const BYTES_MAX: usize = 64 << 10;

/// Bytes that follow each other in a file and are not written yet.
pub(super) struct Gathered {
    at: i64,
    bytes: Vec<u8>,
    piece_bytes: i64,
}

impl Gathered {
    /// A file that is written in pieces of so many bytes, each at a multiple of them.
    pub(super) fn in_pieces_of(piece_bytes: i64) -> Self {
        Self { at: 0, bytes: Vec::new(), piece_bytes: piece_bytes.max(1) }
    }

    /// What waits to be written, and where.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let (mut at, mut rest) = (self.at, self.bytes.as_slice());
        std::iter::from_fn(move || {
            let room =
                usize::try_from(self.piece_bytes - at.rem_euclid(self.piece_bytes)).unwrap_or(usize::MAX);
            let (piece, after) = rest.split_at_checked(rest.len().min(room))?;
            let place = at;
            (at, rest) = (at + piece.len() as i64, after);
            (!piece.is_empty()).then_some((place, piece))
        })
    }

    /// Whether these bytes go on where the others end; if not, the others are to be written first.
    pub(super) fn goes_on(&self, at: i64, length: usize) -> bool {
        let end = i64::try_from(self.bytes.len()).ok().and_then(|length| self.at.checked_add(length));
        self.bytes.is_empty() || (end == Some(at) && self.bytes.len() + length <= BYTES_MAX)
    }

    /// Takes bytes that go on where the others end.
    pub(super) fn put(&mut self, at: i64, bytes: &[u8]) {
        debug_assert!(self.goes_on(at, bytes.len()), "a piece has no gaps");
        if self.bytes.is_empty() {
            self.at = at;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Begins anew in the same room.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(piece_bytes: i64, at: i64, length: usize) -> Gathered {
        let mut gathered = Gathered::in_pieces_of(piece_bytes);
        gathered.put(at, &vec![1; length]);
        gathered
    }

    #[test]
    fn what_follows_is_one_piece() {
        let mut gathered = Gathered::in_pieces_of(4_096);
        assert_eq!(gathered.pieces().count(), 0);
        for (at, bytes) in [(32, &b"header"[..]), (38, b" and page"), (47, b"")] {
            assert!(gathered.goes_on(at, bytes.len()));
            gathered.put(at, bytes);
        }
        assert!(gathered.pieces().eq([(32, &b"header and page"[..])]));
    }

    #[test]
    fn what_does_not_follow_begins_another() {
        let mut gathered = gathered(4_096, 32, 4);
        for at in [0, 31, 32, 35, 37, i64::MAX] {
            assert!(!gathered.goes_on(at, 1), "{at}");
        }
        gathered.clear();
        gathered.put(0, b"first");
        assert!(gathered.pieces().eq([(0, &b"first"[..])]));
    }

    #[test]
    fn a_piece_ends_where_the_next_begins() {
        let written = |at, length| -> Vec<(i64, usize)> {
            gathered(4_096, at, length).pieces().map(|(at, bytes)| (at, bytes.len())).collect()
        };
        assert_eq!(written(4_000, 96), [(4_000, 96)]);
        assert_eq!(written(4_000, 97), [(4_000, 96), (4_096, 1)]);
        assert_eq!(written(4_000, 9_000), [(4_000, 96), (4_096, 4_096), (8_192, 4_096), (12_288, 712)]);
    }

    #[test]
    fn not_everything_is_gathered() {
        let gathered = gathered(4_096, 0, BYTES_MAX);
        assert!(gathered.goes_on(BYTES_MAX as i64, 0) && !gathered.goes_on(BYTES_MAX as i64, 1));
    }
}
