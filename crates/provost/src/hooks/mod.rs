//! Hooks: closures that are called around models and tools, and how several are combined.

mod chain;
mod closure;
mod opinions;
mod seen;

pub(crate) use chain::{AfterGuards, BeforeGuards, Mediators, Notes};
pub(crate) use closure::Closure;
pub(crate) use opinions::{Completions, Continuations, Interrupts};
pub use seen::{Completion, FinishedCall, NextTurn, ProposedCall, SpokenResponse, ToolGuard};
