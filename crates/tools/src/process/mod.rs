//! Running a program: bounded in time and output, and gone with everything it started when its call ends.
//!
//! Under a supervising process ([`crate::supervise`]) a program and everything it started are killed when it
//! ends, when its time is up, when the call is stopped and when the runtime dies. Without one it leads a
//! process group of its own, which is killed in the first three cases; a process that leaves the group
//! (`setsid`) gets away.

mod capture;
mod command_line;
mod group;
mod launch;
mod lines;
mod run;

use capture::Capture;
use command_line::command_line;
pub(crate) use launch::{Launch, Launcher};
pub(crate) use run::{Ending, Finished};
use run::{Job, run};
