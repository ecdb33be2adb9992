//! Running a program: bounded in time and output, and gone with everything it started when its call ends.
//!
//! A program leads a process group of its own. When it ends, when its time is up and when nobody waits for
//! it any more, the whole group is killed. A process that leaves the group on purpose (`setsid`) is out of
//! reach here; keeping such programs in is the work of a sandbox.

mod capture;
mod command_line;
mod environment;
mod group;
mod launch;
mod run;

use capture::Capture;
use command_line::command_line;
pub use environment::Environment;
pub(crate) use launch::{Launch, Launcher};
pub(crate) use run::{Ending, Finished};
use run::{Job, run};
