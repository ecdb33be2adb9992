//! Conversations of a fake model with a fake tool: what the runtime itself costs.
//!
//! Every measurement is a process of its own, so that memory and start-up are those of the workload
//! alone. It runs with everything on that governs a run: a policy asked about every call, redaction,
//! audit records, and a journal with its chain of hashes.

mod child;
mod fake;
mod idle;
mod process;
mod reference;
mod w1;
mod w2;
mod w4;
mod w5;
mod w7;

pub(crate) use child::{Job, run_child};
pub(super) use process::cpu_ns;
pub(super) use {
    idle::run as idle, w1::run as w1, w2::run as w2, w4::run as w4, w5::run as w5, w7::run as w7,
};
