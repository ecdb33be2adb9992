//! Appends of several runs in one row of the journal.
//!
//! A commit of many runs writes whole pages, and appends of about a kilobyte fill them badly one by one;
//! side by side in one row they leave no gaps. A bundle is a sum and its appends, and each append says
//! whose it is and how long. The sum is that of all these numbers: none can change unnoticed.

use rusqlite::Row;

use super::broken::Broken;

/// The `run_no` of a row that is a bundle. Runs begin at one.
pub(super) const MANY: i64 = 0;
/// A row takes no more, unless one append alone is longer: whoever reads one run reads past the others.
const BYTES_MAX: usize = 6 << 10;
const SUM_BYTES: usize = 8;
const NUMBERS_BYTES: usize = 32;

/// An append and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) run_no: i64,
    pub(super) last_seq: i64,
    pub(super) epoch: i64,
    pub(super) records: &'a [u8],
}

impl Entry<'_> {
    fn numbers(&self) -> [i64; 4] {
        [self.run_no, self.last_seq, self.epoch, self.records.len() as i64]
    }

    fn sum(&self) -> i64 {
        self.numbers().into_iter().fold(0, i64::wrapping_add)
    }
}

/// A bundle that grows.
#[derive(Default)]
pub(super) struct Bundle {
    bytes: Vec<u8>,
    sum: i64,
    appends: usize,
    /// Run, sequence number and epoch of the first.
    first: [i64; 3],
}

impl Bundle {
    pub(super) fn is_empty(&self) -> bool {
        self.appends == 0
    }

    /// Whether an append of so many bytes still goes in.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.bytes.len() + NUMBERS_BYTES + bytes <= BYTES_MAX
    }

    pub(super) fn put(&mut self, entry: &Entry<'_>) {
        if self.is_empty() {
            self.first = [entry.run_no, entry.last_seq, entry.epoch];
            self.bytes.resize(SUM_BYTES, 0);
        }
        for number in entry.numbers() {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.bytes.extend_from_slice(entry.records);
        self.sum = self.sum.wrapping_add(entry.sum());
        self.appends += 1;
    }

    /// The row to be written: one append as itself, several as a bundle.
    pub(super) fn row(&mut self) -> Entry<'_> {
        if let Some(sum) = self.bytes.first_chunk_mut() {
            *sum = self.sum.to_le_bytes();
        }
        if self.appends == 1 {
            let [run_no, last_seq, epoch] = self.first;
            let records = self.bytes.get(SUM_BYTES + NUMBERS_BYTES..).unwrap_or_default();
            return Entry { run_no, last_seq, epoch, records };
        }
        Entry { run_no: MANY, last_seq: 0, epoch: 0, records: &self.bytes }
    }

    /// Begins anew in the same room.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.sum, self.appends) = (0, 0);
    }
}

/// A row as it was read: run, sequence number, epoch and records are its first columns.
pub(super) fn row<'a>(row: &'a Row<'_>) -> Result<Entry<'a>, Broken> {
    let records = row.get_ref(3)?.as_blob().map_err(|error| Broken::Damaged(error.to_string()))?;
    Ok(Entry { run_no: row.get(0)?, last_seq: row.get(1)?, epoch: row.get(2)?, records })
}

/// The appends in a row.
pub(super) fn appends<'a>(row: Entry<'a>) -> Result<Vec<Entry<'a>>, Broken> {
    if row.run_no == MANY { open(row.records) } else { Ok(vec![row]) }
}

fn open(bytes: &[u8]) -> Result<Vec<Entry<'_>>, Broken> {
    let damaged = || Broken::Damaged("a row of several appends is not what was written".to_owned());
    let (sum, mut rest) = bytes.split_first_chunk::<SUM_BYTES>().ok_or_else(damaged)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        entries.push(take(&mut rest).ok_or_else(damaged)?);
    }
    let found = entries.iter().map(Entry::sum).fold(0, i64::wrapping_add);
    if found == i64::from_le_bytes(*sum) { Ok(entries) } else { Err(damaged()) }
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<Entry<'a>> {
    let mut number = || {
        let (bytes, after) = rest.split_first_chunk()?;
        *rest = after;
        Some(i64::from_le_bytes(*bytes))
    };
    let (run_no, last_seq, epoch, length) = (number()?, number()?, number()?, number()?);
    let (records, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(Entry { run_no, last_seq, epoch, records })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: [Entry<'static>; 3] = [
        Entry { run_no: 7, last_seq: 3, epoch: 1, records: b"what happened" },
        Entry { run_no: 1, last_seq: 900, epoch: 0, records: b"" },
        Entry { run_no: 7, last_seq: 5, epoch: 1, records: b"and then" },
    ];

    #[test]
    fn a_bundle_opens_to_what_was_put_in() {
        let mut bundle = Bundle::default();
        for _ in 0..2 {
            ENTRIES.iter().for_each(|entry| bundle.put(entry));
            let row = bundle.row();
            assert_eq!(row.run_no, MANY);
            assert_eq!(appends(row).unwrap(), ENTRIES);
            bundle.clear();
            assert!(bundle.is_empty());
        }
    }

    #[test]
    fn one_append_is_a_row_of_its_own() {
        let mut bundle = Bundle::default();
        bundle.put(&ENTRIES[0]);
        assert_eq!(bundle.row(), ENTRIES[0]);
        assert_eq!(appends(bundle.row()).unwrap(), [ENTRIES[0]]);
    }

    #[test]
    fn a_full_bundle_takes_no_more() {
        let mut bundle = Bundle::default();
        assert!(bundle.has_room(BYTES_MAX - 100));
        bundle.put(&ENTRIES[0]);
        assert!(bundle.has_room(100) && !bundle.has_room(BYTES_MAX));
    }

    #[test]
    fn no_number_changes_unnoticed() {
        let mut bundle = Bundle::default();
        ENTRIES.iter().for_each(|entry| bundle.put(entry));
        let whole = bundle.row().records.to_vec();
        let records = |place: usize| (40..53).contains(&place) || place >= whole.len() - 8;
        for place in (0..whole.len()).filter(|place| !records(*place)) {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[place] ^= 1 << bit;
                assert!(matches!(open(&changed), Err(Broken::Damaged(_))), "byte {place}, bit {bit}");
            }
        }
        for length in 0..whole.len() {
            assert!(matches!(open(&whole[..length]), Err(Broken::Damaged(_))), "cut at {length}");
        }
    }
}
