//! Bytes on the disk: as they are, or compressed when that pays.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::broken::Broken;
use super::dictionary;

/// Fast rather than small: what is compressed waits for nobody.
const LEVEL: i32 = 1;
/// For short records. It names what stands in the dictionary and leaves the rest as it is: to work out a
/// code for a thousand letters takes longer than to write them.
const LEVEL_SHORT: i32 = -5;
/// Records below this are short.
const BYTES_SHORT: usize = 2 << 10;
/// Below this there is nothing to gain, unless there is a dictionary.
const BYTES_MIN: usize = 512;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// Compressed with [`dictionary::FIRST`].
const ZSTD_FIRST: u8 = 2;
/// The byte that says how, and the plain length.
const HEADER_BYTES: usize = 5;
const DAMAGED: &str = "compressed bytes do not unpack";

/// What a thread compresses with, made when it is first needed.
type Packer = RefCell<Option<Compressor<'static>>>;

thread_local! {
    static ANYTHING: Packer = const { RefCell::new(None) };
    static SHORT_RECORDS: Packer = const { RefCell::new(None) };
    static LONG_RECORDS: Packer = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Writes a byte that says how, the plain length when it matters, and the bytes.
pub(super) fn pack(plain: &[u8]) -> Vec<u8> {
    if plain.len() < BYTES_MIN {
        return unpacked(plain);
    }
    ANYTHING.with_borrow_mut(|slot| packed(ZSTD, plain, made(slot, || Compressor::new(LEVEL))))
}

/// What matters about records on their way to the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// That they take little room: nobody else wants to write.
    Small,
    /// That they are there soon: others wait, and short ones share their pages.
    Quick,
}

/// The same for records of runs, most of which resemble each other.
pub(super) fn pack_records(plain: &[u8], packing: Packing) -> Vec<u8> {
    if packing == Packing::Quick && plain.len() < BYTES_SHORT {
        return unpacked(plain);
    }
    let (packer, level) =
        if plain.len() < BYTES_SHORT { (&SHORT_RECORDS, LEVEL_SHORT) } else { (&LONG_RECORDS, LEVEL) };
    packer.with_borrow_mut(|slot| {
        let make = || Compressor::with_dictionary(level, dictionary::FIRST);
        packed(ZSTD_FIRST, plain, made(slot, make))
    })
}

/// Gives back what [`pack`] or [`pack_records`] was given.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, Broken> {
    let damaged = || Broken::Damaged(DAMAGED.to_owned());
    let (kind, rest) = packed.split_first().ok_or_else(damaged)?;
    if *kind == PLAIN {
        return Ok(rest.to_vec());
    }
    let (length, bytes) = rest.split_first_chunk().ok_or_else(damaged)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged())?;
    let plain = match *kind {
        ZSTD => zstd::bulk::decompress(bytes, length).ok(),
        ZSTD_FIRST => UNPACKER.with_borrow_mut(|slot| {
            let make = || Decompressor::with_dictionary(dictionary::FIRST);
            made(slot, make)?.decompress(bytes, length).ok()
        }),
        _ => None,
    };
    plain.filter(|plain| plain.len() == length).ok_or_else(damaged)
}

fn made<T>(slot: &mut Option<T>, make: impl FnOnce() -> std::io::Result<T>) -> Option<&mut T> {
    if slot.is_none() {
        *slot = make().ok();
    }
    slot.as_mut()
}

fn packed(kind: u8, plain: &[u8], packer: Option<&mut Compressor<'_>>) -> Vec<u8> {
    packer.and_then(|packer| compressed(kind, plain, packer)).unwrap_or_else(|| unpacked(plain))
}

/// None when the bytes do not get smaller by a sixteenth, which pays for the unpacking.
fn compressed(kind: u8, plain: &[u8], packer: &mut Compressor<'_>) -> Option<Vec<u8>> {
    let length = u32::try_from(plain.len()).ok()?;
    let mut bytes = vec![0; HEADER_BYTES + plain.len() - plain.len() / 16];
    let (header, room) = bytes.split_first_chunk_mut::<HEADER_BYTES>()?;
    let [said, rest @ ..] = header;
    *said = kind;
    *rest = length.to_le_bytes();
    let written = packer.compress_to_buffer(plain, room).ok()?;
    bytes.truncate(HEADER_BYTES + written);
    Some(bytes)
}

fn unpacked(plain: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(plain.len() + 1);
    bytes.push(PLAIN);
    bytes.extend_from_slice(plain);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLED: &[u8] =
        br#"call_settled{"call":0,"by":"executor","result":{"success":true,"metadata":{}}}"#;

    #[test]
    fn everything_unpacks_to_what_was_packed() {
        let long = "a line of words, again and again\n".repeat(100).into_bytes();
        let noise: Vec<u8> = (0..4_096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for plain in [vec![], b"short".to_vec(), SETTLED.to_vec(), long.clone(), noise] {
            assert!(unpack(&pack(&plain)).unwrap() == plain);
            assert!(unpack(&pack_records(&plain, Packing::Small)).unwrap() == plain);
        }
        assert!(pack(&long).len() < long.len() / 4, "words get smaller");
        assert!(
            pack_records(SETTLED, Packing::Small).len() < SETTLED.len() / 2,
            "what all records have gets smaller"
        );
    }

    #[test]
    fn what_is_short_is_left_as_it_is_while_others_wait() {
        let quick = pack_records(SETTLED, Packing::Quick);
        assert_eq!(quick.split_first(), Some((&PLAIN, SETTLED)));
        assert!(unpack(&quick).unwrap() == SETTLED);
        let long = "a line of words, again and again\n".repeat(100).into_bytes();
        let quick = pack_records(&long, Packing::Quick);
        assert!(quick.len() < long.len() / 4, "a long one would take many pages");
        assert!(unpack(&quick).unwrap() == long);
    }

    #[test]
    fn a_released_dictionary_never_changes() {
        let address = provost_runtime::port::Address::of(dictionary::FIRST);
        assert_eq!(
            address.to_string(),
            "sha256:84bbfa11d2e5c32849cdf6fa942a037d2709dc9bd2937b2818ce14451116fbba"
        );
    }

    #[test]
    fn damage_is_told() {
        let plain = [b'x'; 5_000];
        for packed in [pack(&plain), pack_records(&plain, Packing::Small)] {
            for damaged in [&[][..], &[7, 1, 2], &packed[..4], &packed[..packed.len() - 3]] {
                assert!(matches!(unpack(damaged), Err(Broken::Damaged(_))));
            }
        }
    }
}
