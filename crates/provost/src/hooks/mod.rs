//! Hooks: closures that have a say around models and tools, and how several of them make one.

mod chain;
mod closure;
mod seen;

pub(crate) use chain::{AfterGuards, BeforeGuards, Mediators, Notes};
pub(crate) use closure::Closure;
pub use seen::{Completion, FinishedCall, NextTurn, ProposedCall, SpokenResponse, ToolGuard};
