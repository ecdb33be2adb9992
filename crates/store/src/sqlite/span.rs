//! Where appends of one run lie that follow each other.

use super::broken::Broken;

/// The rows of appends of one run, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Of the last append.
    pub(super) last_seq: i64,
    /// Of the row of the first.
    pub(super) first_id: i64,
    /// The ids of further rows, each as its distance from the one before, seven bits a byte.
    pub(super) later: Option<Vec<u8>>,
    last_id: i64,
}

impl Span {
    pub(super) fn of(last_seq: i64, id: i64) -> Self {
        Self { last_seq, first_id: id, later: None, last_id: id }
    }

    /// Goes on with an append of the same run, which lies in the same row or in a later one.
    pub(super) fn go_on(&mut self, last_seq: i64, id: i64) {
        debug_assert!(id >= self.last_id && last_seq > self.last_seq, "rows are written one after the other");
        self.last_seq = last_seq;
        if id == self.last_id {
            return;
        }
        put(self.later.get_or_insert_default(), id.abs_diff(self.last_id));
        self.last_id = id;
    }
}

/// The ids of all rows.
pub(super) fn ids(first_id: i64, later: Option<&[u8]>) -> Result<Vec<i64>, Broken> {
    let damaged = || Broken::Damaged("a list of rows is not what was written".to_owned());
    let mut rest = later.unwrap_or_default();
    let mut ids = vec![first_id];
    let mut id = first_id;
    while !rest.is_empty() {
        let distance = take(&mut rest).and_then(|distance| i64::try_from(distance).ok());
        id = distance.and_then(|distance| id.checked_add(distance)).ok_or_else(damaged)?;
        ids.push(id);
    }
    Ok(ids)
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_names_every_row_once() {
        let mut span = Span::of(3, 10);
        assert_eq!(ids(span.first_id, span.later.as_deref()).unwrap(), [10]);
        for (seq, id) in [(4, 10), (5, 11), (9, 138), (10, 266), (11, 1 << 40)] {
            span.go_on(seq, id);
        }
        assert_eq!(span.last_seq, 11);
        assert_eq!(ids(span.first_id, span.later.as_deref()).unwrap(), [10, 11, 138, 266, 1 << 40]);
    }

    #[test]
    fn a_list_that_was_cut_or_leads_nowhere_is_damage() {
        for later in
            [&[0x80][..], &[1, 0xff], &[0xff; 12], &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]]
        {
            assert!(matches!(ids(10, Some(later)), Err(Broken::Damaged(_))), "{later:?}");
        }
    }
}
