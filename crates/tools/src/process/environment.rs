//! The variables a program sees.

use std::ffi::{OsStr, OsString};
use std::fmt;

/// Variables by name. A program gets these and no others: credentials of the host stay with the host.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// What programs commonly need.
    pub const COMMON: [&'static str; 8] =
        ["PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "TERM", "TMPDIR"];

    /// Of the given variables, those on the list.
    pub fn allow<I, N>(variables: I, names: &[N]) -> Self
    where
        I: IntoIterator<Item = (OsString, OsString)>,
        N: AsRef<OsStr>,
    {
        let is_listed = |name: &OsStr| names.iter().any(|listed| listed.as_ref() == name);
        Self(variables.into_iter().filter(|(name, _)| is_listed(name)).collect())
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for Environment {
    /// Names only: a value may be a secret that somebody listed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
