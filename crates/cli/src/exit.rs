//! The exit codes, as documented in docs/cli.md.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// The command or the run failed.
    Failed,
    /// Nothing was done: the command line or a file is wrong, or what it names is not there.
    Usage,
    /// The run waits for a person.
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
        (
            Self::Usage,
            "nothing was done: the command line or a file is invalid, or something it names does not exist",
        ),
        (Self::Waiting, "the run waits for an approval or an answer"),
        (Self::Stopped, "a limit stopped the run, or it repeated itself"),
        (Self::HungUp, "SIGHUP: the run was cancelled; one that asked a question waits"),
        (Self::Cancelled, "the run was cancelled or interrupted"),
        (Self::Terminated, "SIGTERM: the run was cancelled; one that asked a question waits"),
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
