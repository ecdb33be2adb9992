//! How well a condition fits a call.

/// The order is the certainty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Certainly not.
    No,
    /// Nobody can tell, and why.
    Unclear(String),
    /// Certainly.
    Yes,
}

impl Fit {
    pub(super) fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    pub(super) fn unclear(why: impl Into<String>) -> Self {
        Self::Unclear(why.into())
    }

    /// The most certain of several.
    pub(super) fn any(fits: impl IntoIterator<Item = Self>) -> Self {
        fits.into_iter().max().unwrap_or(Self::No)
    }

    /// The least certain of several.
    pub(super) fn all(fits: impl IntoIterator<Item = Self>) -> Self {
        fits.into_iter().min().unwrap_or(Self::Yes)
    }
}

/// Which mistakes a match may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// For rules that permit: only what is certain matches.
    Strict,
    /// For rules that ask: what may be meant matches.
    Ask,
    /// For rules that forbid: the same, but walks leave out by themselves what is forbidden.
    Deny,
}
