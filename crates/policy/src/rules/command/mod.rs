//! Commands: which programs a command line starts, looked at through whatever starts them.
//!
//! `understand` names every program it finds, and says what it cannot look through. It knows the
//! common wrappers and the plain part of the shell language; it reads no file and runs nothing. What a
//! program does by itself it does not know.

mod known;
mod pattern;
mod script;
mod understand;
mod wrapper;

pub(super) use pattern::CommandPattern;
pub(super) use understand::{Seen, Word, understand};
