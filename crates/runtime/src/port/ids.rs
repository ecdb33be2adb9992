//! Names nobody used before.

/// What a new name is for; each kind has its own shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub enum IdKind {
    /// `run_` and 26 letters and digits, later ones sorting later.
    Run,
    /// `worker_` and 26 letters and digits, later ones sorting later.
    Worker,
    /// A random (version 4) UUID.
    Session,
}

impl IdKind {
    /// Writes the name of this kind that the given time and random bits make.
    pub fn written(self, now_ms: i64, bits: u128) -> String {
        match self {
            Self::Run => sortable("run_", now_ms, bits),
            Self::Worker => sortable("worker_", now_ms, bits),
            Self::Session => uuid(bits),
        }
    }
}

/// 48 bits of time, then 80 random ones, five bits a letter.
fn sortable(prefix: &str, now_ms: i64, bits: u128) -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    const TIME_BITS: u32 = 48;
    let time = u128::from(now_ms.unsigned_abs()) & ((1 << TIME_BITS) - 1);
    let value = (time << (128 - TIME_BITS)) | (bits >> TIME_BITS);
    let digits = (0..26).rev().map(|place| (value >> (place * 5)) as usize % LETTERS.len());
    let letters = digits.filter_map(|digit| LETTERS.get(digit)).map(|letter| char::from(*letter));
    prefix.chars().chain(letters).collect()
}

fn uuid(bits: u128) -> String {
    let version_4 = (bits & !(0xf << 76)) | (4 << 76);
    let bits = (version_4 & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        bits >> 96,
        (bits >> 80) & 0xffff,
        (bits >> 64) & 0xffff,
        (bits >> 48) & 0xffff,
        bits & 0xffff_ffff_ffff
    )
}

/// Makes names. No two are alike, and what is random in them cannot be guessed from others.
pub trait Ids: Send + Sync {
    /// A new name.
    fn make(&self, kind: IdKind) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_shape() {
        let bits = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;
        let written = |kind: IdKind| kind.written(1_780_000_000_000, bits);
        assert_eq!(written(IdKind::Run), "run_01ksr4920004hmasw9nf6yy093");
        assert_eq!(written(IdKind::Session), "01234567-89ab-4def-8123-456789abcdef");
    }

    #[test]
    fn later_names_sort_later() {
        let earlier = IdKind::Run.written(1_780_000_000_000, u128::MAX);
        let later = IdKind::Run.written(1_780_000_000_001, 0);
        assert!(earlier < later, "{earlier} {later}");
    }
}
