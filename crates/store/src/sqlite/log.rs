//! The log beside a file (`-wal`): whether something that was committed cannot be read any more.
//!
//! SQLite ends a log at its first damaged frame and says nothing, because the last transaction before a power
//! failure looks the same. Here the frames behind it are read as well. Each carries the checksum of all before
//! it, and a transaction begins only after the one before it is on the disk (`synchronous = FULL`). A commit
//! behind the damage that another frame of the same chain follows was therefore acknowledged, and is lost.
//!
//! A log that was cut between two transactions looks like one that ended there: that is not detected.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

const HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// Returns what is wrong with a log, in words.
///
/// A process that writes meanwhile may show half a frame. Only damage that two readings show in the same place
/// is reported.
pub(super) fn damage(log: &Path) -> io::Result<Option<String>> {
    let Some(damage) = read(log)? else { return Ok(None) };
    if read(log)?.as_ref() != Some(&damage) {
        return Ok(None);
    }
    Ok(Some(match damage {
        Damage::Header => "the log beside it does not begin as a log does".to_owned(),
        Damage::Frames { at, commits } => {
            format!("the log beside it is damaged at byte {at}, and {commits} later commits cannot be read")
        }
    }))
}

#[derive(Debug, PartialEq, Eq)]
enum Damage {
    Header,
    Frames { at: u64, commits: u64 },
}

fn read(log: &Path) -> io::Result<Option<Damage>> {
    match File::open(log) {
        Ok(file) => find(&mut BufReader::with_capacity(1 << 16, file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn find(log: &mut impl Read) -> io::Result<Option<Damage>> {
    let mut bytes = Vec::new();
    log.take(HEADER_BYTES).read_to_end(&mut bytes)?;
    // A power failure may leave a file that has a length and no content yet.
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let Some(header) = Header::parse(&bytes) else { return Ok(Some(Damage::Header)) };
    let mut frame = vec![0; FRAME_HEADER_BYTES + header.page_bytes];
    let mut search = Search::new(&header);
    loop {
        match log.read_exact(&mut frame) {
            Ok(()) => search.frame(&header, &frame),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(search.damage()),
            Err(error) => return Err(error),
        }
    }
}

/// The running checksum of a log.
type Sum = (u32, u32);

/// The beginning of a log, valid.
struct Header {
    big_endian: bool,
    page_bytes: usize,
    /// Marks the frames that belong to this log and not to an earlier one in the same file.
    salt: [u8; 8],
    sum: Sum,
}

impl Header {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let big_endian = match word(bytes, 0)? {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return None,
        };
        let page_bytes = usize::try_from(word(bytes, 8)?).ok()?;
        let salt = bytes.get(16..24)?.try_into().ok()?;
        let sum = (word(bytes, 24)?, word(bytes, 28)?);
        let valid = page_bytes.is_power_of_two()
            && (512..=65_536).contains(&page_bytes)
            && add((0, 0), bytes.get(..24)?, big_endian) == sum;
        valid.then_some(Self { big_endian, page_bytes, salt, sum })
    }
}

/// Goes through the frames in order.
struct Search {
    at: u64,
    /// The checksum that the last frame carries.
    sum: Sum,
    broken_at: Option<u64>,
    /// Whether the last frame behind the damage ends a transaction.
    ends_transaction: bool,
    commits: u64,
}

impl Search {
    fn new(header: &Header) -> Self {
        Self { at: HEADER_BYTES, sum: header.sum, broken_at: None, ends_transaction: false, commits: 0 }
    }

    fn frame(&mut self, header: &Header, frame: &[u8]) {
        let at = self.at;
        self.at += frame.len() as u64;
        let Some((head, page)) = frame.split_at_checked(FRAME_HEADER_BYTES) else { return };
        let of_this_log = head.get(8..16) == Some(&header.salt[..]);
        if !of_this_log {
            self.broken_at.get_or_insert(at);
            self.ends_transaction = false;
            return;
        }
        let begin = head.get(..8).unwrap_or_default();
        let sum = add(add(self.sum, begin, header.big_endian), page, header.big_endian);
        let carried = (word(head, 16).unwrap_or_default(), word(head, 20).unwrap_or_default());
        let linked = sum == carried;
        if !linked {
            self.broken_at.get_or_insert(at);
        }
        if self.broken_at.is_some() {
            self.commits += u64::from(linked && self.ends_transaction);
            self.ends_transaction = word(head, 4).is_some_and(|pages| pages != 0);
        }
        self.sum = carried;
    }

    fn damage(self) -> Option<Damage> {
        let at = self.broken_at?;
        (self.commits > 0).then_some(Damage::Frames { at, commits: self.commits })
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Adds bytes to a checksum, as the SQLite file format describes it.
fn add(sum: Sum, bytes: &[u8], big_endian: bool) -> Sum {
    let number = |bytes: [u8; 4]| {
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(sum, |(first, second), &[a, b, c, d, e, f, g, h]| {
        let first = first.wrapping_add(number([a, b, c, d])).wrapping_add(second);
        (first, second.wrapping_add(number([e, f, g, h])).wrapping_add(first))
    })
}
