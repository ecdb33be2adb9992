//! Names and numbers: runs, sessions, workers, actions, waits, signals, positions and times.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must {expected}, got {got:?}")]
pub struct IdError {
    what: &'static str,
    expected: &'static str,
    got: String,
}

impl IdError {
    fn new(what: &'static str, expected: &'static str, got: &str) -> Self {
        Self { what, expected, got: got.chars().take(80).collect() }
    }
}

/// The longest name in bytes.
const NAME_BYTES_MAX: usize = 200;
const NAME_SHAPE: &str = "have 1 to 200 bytes, without spaces and control characters";

fn is_name(text: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Declares an id that wraps a checked, cheaply cloned text.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                if is_name(text) { Ok(Self(text.into())) } else { Err(IdError::new($what, NAME_SHAPE, text)) }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// Names one run.
    RunId, "a run id"
}
name! {
    /// Names one session: a conversation over many runs.
    SessionId, "a session id"
}
name! {
    /// Names one worker: a process, or a part of one, that claims runs. Never reused after its lease ended.
    WorkerId, "a worker id"
}

impl RunId {
    /// Returns the id of the child run that an attempt of an action delegates to. The same attempt always
    /// names the same child, so accepting it twice is one acceptance.
    pub fn child(&self, action: ActionId, attempt: u32) -> Self {
        let digest = Digest::of_fields(&[self.as_str(), &action.to_string(), &attempt.to_string()]);
        Self(format!("run_{}", digest.hex().get(..26).unwrap_or_default()).into())
    }
}

/// Declares a number that counts one thing.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

number! {
    /// The position of an event in its run's journal; the first is 1, and 0 means an empty journal.
    Seq(u64)
}
number! {
    /// How often a run was claimed. A commit under an older epoch is refused.
    Epoch(u64)
}
number! {
    /// A position in a run's queue of signals; the first is 1.
    SignalId(u64)
}
number! {
    /// Wall time in milliseconds since 1970 UTC.
    Time(i64)
}

impl Seq {
    /// Returns the position `count` events later.
    #[must_use]
    pub fn plus(self, count: usize) -> Self {
        Self(self.0 + count as u64)
    }
}

impl Time {
    /// Returns the time `ms` milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add_unsigned(ms))
    }
}

/// Names an action: the declaration that added it, and its index there. Minted by the engine, unique in
/// the run and never reused; what a model or provider calls the action is its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ActionId {
    /// The declaration; the first is 1.
    pub declaration: u32,
    /// The index in the declaration; the first is 0.
    pub index: u32,
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.declaration, self.index)
    }
}

impl FromStr for ActionId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = text.split_once('.').and_then(|(declaration, index)| {
            Some(Self { declaration: declaration.parse().ok()?, index: index.parse().ok()? })
        });
        parts
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| IdError::new("an action id", "look like 1.0", text))
    }
}

/// Names a wait: its run, and its number there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WaitId {
    /// The run that waits.
    pub run: RunId,
    /// The number of the wait in its run; the first is 1.
    pub number: u32,
}

impl fmt::Display for WaitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.run, self.number)
    }
}

impl FromStr for WaitId {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = text
            .rsplit_once('/')
            .and_then(|(run, number)| Some(Self { run: run.parse().ok()?, number: number.parse().ok()? }));
        parts
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| IdError::new("a wait id", "look like RUN/1", text))
    }
}

/// Declares the text form of an id as its form in JSON.
macro_rules! text_form {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    )*};
}

text_form!(ActionId, WaitId, Digest);

/// A SHA-256 hash, written `sha256:` and 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// What stands before the first event of a chain.
    pub const ZERO: Self = Self([0; 32]);
    const PREFIX: &str = "sha256:";

    /// Returns the hash of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(provost_contract::canonical::sha256(bytes))
    }

    /// Returns the hash of texts, each preceded by its length, so that no two lists share one.
    pub fn of_fields(fields: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for field in fields {
            bytes.extend(u32::try_from(field.len()).unwrap_or(u32::MAX).to_be_bytes());
            bytes.extend(field.as_bytes());
        }
        Self::of(&bytes)
    }

    /// Returns the hex digits without the prefix.
    pub fn hex(&self) -> String {
        provost_contract::canonical::hex(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let refuse = || IdError::new("a digest", "be sha256: and 64 hex digits", text);
        let hex = text.strip_prefix(Self::PREFIX).filter(|hex| hex.len() == 64).ok_or_else(refuse)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| refuse())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| refuse())?;
        }
        let digest = Self(bytes);
        if digest.to_string() == text { Ok(digest) } else { Err(refuse()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_written() {
        let run: RunId = "run_a".parse().unwrap();
        let wait = WaitId { run: run.clone(), number: 3 };
        assert_eq!(wait.to_string(), "run_a/3");
        assert_eq!("run_a/3".parse::<WaitId>().unwrap(), wait);
        assert_eq!("2.10".parse::<ActionId>().unwrap(), ActionId { declaration: 2, index: 10 });
        let digest = Digest::of(b"x");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(run.child(ActionId { declaration: 1, index: 0 }, 1).as_str().len(), 30);
    }

    #[test]
    fn what_is_not_written_that_way_is_refused() {
        for text in ["", "1", "1.", "01.0", "1.0.0", "+1.0", "a.b"] {
            assert!(text.parse::<ActionId>().is_err(), "{text}");
        }
        for text in ["", "a b", "a\n", &"x".repeat(201)] {
            assert!(text.parse::<RunId>().is_err(), "{text}");
        }
        for text in ["run/", "run", "run/01", "/1"] {
            assert!(text.parse::<WaitId>().is_err(), "{text}");
        }
        assert!("sha256:AB".parse::<Digest>().is_err());
    }
}
