//! Artifacts: full outputs, found by what they are.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use provost_contract::canonical;

use super::{Boxed, Fault};

/// The SHA-256 of some bytes; written `sha256:` and 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 32]);

impl Address {
    const PREFIX: &str = "sha256:";

    /// The address of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(canonical::sha256(bytes))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// A text that is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an artifact address is `sha256:` and 64 lower-case hex digits")]
pub struct AddressError;

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let digits = text.strip_prefix(Self::PREFIX).ok_or(AddressError)?.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return Err(AddressError);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().try_fold(0, |sum, digit| Ok(sum * 16 + hex_digit(*digit)?))?;
        }
        Ok(Self(bytes))
    }
}

fn hex_digit(digit: u8) -> Result<u8, AddressError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(AddressError),
    }
}

/// Full outputs by address. The same bytes are kept once; what is stored never changes.
pub trait Artifacts: Send + Sync {
    /// Stores bytes, durably when the future resolves.
    fn put(&self, bytes: Vec<u8>) -> Boxed<'_, Result<Address, Fault>>;

    /// All bytes of an artifact.
    fn get<'a>(&'a self, address: &'a Address) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>>;

    /// Some bytes of an artifact: what of the range lies within it.
    fn get_range<'a>(
        &'a self,
        address: &'a Address,
        range: Range<u64>,
    ) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_and_nothing_else_does() {
        let address = Address::of(b"abc");
        let text = address.to_string();
        assert_eq!(text, "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(text.parse(), Ok(address));
        for bad in
            [text.to_uppercase(), text.replace("ba", "bg"), text[..70].to_owned(), text[7..].to_owned()]
        {
            assert_eq!(bad.parse::<Address>(), Err(AddressError), "{bad}");
        }
    }
}
