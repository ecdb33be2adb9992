//! Running a program: bounded in time and output, and gone with everything it started when its call ends.
//!
//! A program leads a process group of its own. When it ends, when its time is up and when nobody waits for
//! it any more, the whole group is killed. A process that leaves the group on purpose (`setsid`) is out of
//! reach here; keeping such programs in is the work of a sandbox.

mod capture;
mod environment;
mod group;
mod run;

pub(crate) use capture::Capture;
pub use environment::Environment;
pub(crate) use run::{Ending, Finished, Job, run};
