//! Bytes on the disk: as they are, or compressed when that pays.

use std::cell::RefCell;

use super::broken::Broken;

/// Fast rather than small: what is compressed waits for nobody.
const LEVEL: i32 = 1;
/// Below this there is nothing to gain.
const BYTES_MIN: usize = 512;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
const DAMAGED: &str = "compressed bytes do not unpack";

thread_local! {
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
}

/// Writes a byte that says how, the plain length when it matters, and the bytes.
pub(super) fn pack(plain: &[u8]) -> Vec<u8> {
    let compressed = if plain.len() < BYTES_MIN { None } else { compress(plain) };
    match compressed {
        // It must save an eighth to be worth the unpacking.
        Some((bytes, length)) if bytes.len() + plain.len() / 8 < plain.len() => {
            let mut packed = Vec::with_capacity(bytes.len() + 5);
            packed.push(ZSTD);
            packed.extend_from_slice(&length.to_le_bytes());
            packed.extend_from_slice(&bytes);
            packed
        }
        Some(_) | None => {
            let mut packed = Vec::with_capacity(plain.len() + 1);
            packed.push(PLAIN);
            packed.extend_from_slice(plain);
            packed
        }
    }
}

/// Gives back what [`pack`] was given.
pub(super) fn unpack(packed: &[u8]) -> Result<Vec<u8>, Broken> {
    let damaged = || Broken::Damaged(DAMAGED.to_owned());
    match packed.split_first() {
        Some((&PLAIN, plain)) => Ok(plain.to_vec()),
        Some((&ZSTD, rest)) => {
            let (length, bytes) = rest.split_first_chunk().ok_or_else(damaged)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| damaged())?;
            let plain = zstd::bulk::decompress(bytes, length).map_err(|_| damaged())?;
            if plain.len() == length { Ok(plain) } else { Err(damaged()) }
        }
        Some(_) | None => Err(damaged()),
    }
}

fn compress(plain: &[u8]) -> Option<(Vec<u8>, u32)> {
    let length = u32::try_from(plain.len()).ok()?;
    PACKER.with_borrow_mut(|slot| {
        let packer = match slot {
            Some(packer) => packer,
            None => slot.insert(zstd::bulk::Compressor::new(LEVEL).ok()?),
        };
        Some((packer.compress(plain).ok()?, length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_unpacks_to_what_was_packed() {
        let long = "a line of words, again and again\n".repeat(100).into_bytes();
        let noise: Vec<u8> = (0..4_096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for plain in [vec![], b"short".to_vec(), long.clone(), noise] {
            assert!(unpack(&pack(&plain)).unwrap() == plain);
        }
        assert!(pack(&long).len() < long.len() / 4, "words get smaller");
    }

    #[test]
    fn damage_is_told() {
        let packed = pack(&[b'x'; 5_000]);
        for damaged in [&[][..], &[7, 1, 2], &packed[..4], &packed[..packed.len() - 3]] {
            assert!(matches!(unpack(damaged), Err(Broken::Damaged(_))));
        }
    }
}
