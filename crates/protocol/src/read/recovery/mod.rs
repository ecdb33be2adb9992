//! Calls outside the protocol: recovered as actions only if that is provably harmless.

mod direct;
mod heredoc;
mod invoke;
mod textual;

pub(crate) use direct::{DirectCall, recover};
pub(crate) use textual::{Textual, read_textual};
