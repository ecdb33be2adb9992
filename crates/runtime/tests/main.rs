//! The runtime through its public doors.

mod memory;
