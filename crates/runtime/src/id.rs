//! The name of a run.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a run: short visible ASCII text, cheap to clone.
///
/// Names made here read `run_…`; a caller may bring one of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(Arc<str>);

/// Why a text is no run name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunIdError {
    #[error("a run id has 1 to {max} bytes, this one has {0}", max = RunId::BYTES_MAX)]
    Length(usize),
    #[error("a run id is visible ASCII without spaces, this one has {0:?}")]
    Character(char),
}

impl RunId {
    /// How long a name may be.
    pub const BYTES_MAX: usize = 128;

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<Self, RunIdError> {
        if text.is_empty() || text.len() > Self::BYTES_MAX {
            return Err(RunIdError::Length(text.len()));
        }
        match text.chars().find(|character| !character.is_ascii_graphic()) {
            Some(character) => Err(RunIdError::Character(character)),
            None => Ok(Self(text.into())),
        }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_visible_ascii() {
        assert_eq!("run-1".parse::<RunId>().unwrap().as_str(), "run-1");
        assert!("r".repeat(RunId::BYTES_MAX).parse::<RunId>().is_ok());
        assert_eq!("r".repeat(129).parse::<RunId>(), Err(RunIdError::Length(129)));
        assert_eq!("".parse::<RunId>(), Err(RunIdError::Length(0)));
        assert_eq!("a b".parse::<RunId>(), Err(RunIdError::Character(' ')));
        assert_eq!("rün".parse::<RunId>(), Err(RunIdError::Character('ü')));
    }
}
