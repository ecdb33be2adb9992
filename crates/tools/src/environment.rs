//! The variables a program sees.

use std::ffi::{OsStr, OsString};
use std::fmt;

use provost_runtime::port::ToolAction;

/// Variables by name. A program gets these and no others: credentials of the host stay with the host.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// What programs commonly need.
    pub const COMMON: [&'static str; 8] =
        ["PATH", "HOME", "USER", "SHELL", "LANG", "LC_ALL", "TERM", "TMPDIR"];

    /// The variable with the idempotency key of the action: the same whenever the action runs again.
    pub const KEY: &'static str = "PROVOST_IDEMPOTENCY_KEY";
    /// The variable with the id of the run.
    pub const RUN: &'static str = "PROVOST_RUN";
    /// The variable with the name of the action, unique in its run.
    pub const ACTION: &'static str = "PROVOST_ACTION";

    /// Of the given variables, those on the list.
    pub fn allow<I, N>(variables: I, names: &[N]) -> Self
    where
        I: IntoIterator<Item = (OsString, OsString)>,
        N: AsRef<OsStr>,
    {
        let is_listed = |name: &OsStr| names.iter().any(|listed| listed.as_ref() == name);
        Self(variables.into_iter().filter(|(name, _)| is_listed(name)).collect())
    }

    /// The same with the names of the action a program is started for. A program that is declared `keyed`
    /// recognises by the key that it did this work before.
    pub(super) fn of_action(&self, action: ToolAction<'_>) -> Self {
        let said = [(Self::KEY, action.key), (Self::RUN, action.run), (Self::ACTION, action.action)];
        let said = said.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let is_ours = |name: &OsString| said.iter().any(|(ours, _)| ours == name);
        let others = self.0.iter().filter(|(name, _)| !is_ours(name)).cloned();
        Self(others.chain(said.clone()).collect())
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for Environment {
    /// Names only: a value may be a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
