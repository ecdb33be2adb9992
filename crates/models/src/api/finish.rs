//! Why an answer ended.

/// The ends of an answer that make a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The model had said what it wanted.
    Done,
    /// It ran into the limit of tokens.
    Length,
    /// It, or a filter in front of it, declined; in the provider's words.
    Refused(String),
    /// It wrote a call that its provider could not read.
    Malformed(String),
    /// Anything else, in the provider's word.
    Other(String),
}

impl Finish {
    /// The word for records.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Done => "done",
            Self::Length => "length",
            Self::Refused(_) => "refused",
            Self::Malformed(_) => "malformed",
            Self::Other(word) => word,
        }
    }
}
