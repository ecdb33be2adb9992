//! The exit codes, as documented in docs/cli.md.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The command or the run failed.
    Failed,
    /// The command line or a configuration file is wrong.
    Usage,
    /// The run waits for somebody.
    Waiting,
    /// A limit stopped the run.
    Stopped,
    /// The run was cancelled.
    Cancelled,
    /// SIGHUP ended the program.
    HungUp,
    /// SIGTERM ended the program.
    Terminated,
}

impl Exit {
    /// Every code with what it means, for the reference.
    pub(crate) const MEANINGS: [(Self, &'static str); 8] = [
        (Self::Done, "done"),
        (Self::Failed, "the command or the run failed"),
        (Self::Usage, "the command line or a configuration file is wrong; nothing was done"),
        (Self::Waiting, "the run waits for an approval or an answer"),
        (Self::Stopped, "a limit stopped the run, or it repeated itself"),
        (Self::HungUp, "SIGHUP: what ran was stopped, and its run is cancelled"),
        (Self::Cancelled, "the run was cancelled"),
        (Self::Terminated, "SIGTERM: what ran was stopped, and its run is cancelled"),
    ];

    /// The number.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Stopped => 4,
            Self::HungUp => 129,
            Self::Cancelled => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.number().into()
    }
}
