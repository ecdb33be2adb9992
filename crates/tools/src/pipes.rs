//! The pipes to a program.

use std::io;
use std::os::fd::OwnedFd;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

/// The ends of the pipes to a program.
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Pipes {
    pub(crate) fn of(stdin: OwnedFd, stdout: OwnedFd, stderr: OwnedFd) -> io::Result<Self> {
        Ok(Self {
            stdin: ChildStdin::from_std(stdin.into())?,
            stdout: ChildStdout::from_std(stdout.into())?,
            stderr: ChildStderr::from_std(stderr.into())?,
        })
    }
}
