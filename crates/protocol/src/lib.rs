//! The grammar of Provost: how a model declares a graph of actions, and what becomes of it before
//! anything runs.
//!
//! A message is read whole, checked whole, and accepted whole or not at all. Nothing here executes,
//! asks for permission, reads a clock, awaits or performs I/O.
#![deny(clippy::wildcard_enum_match_arm)]

mod catalog;
mod graph;

pub use catalog::{ArgumentFault, ArgumentSchema, Catalog, Entry, Permission};
pub use graph::{Graph, GraphFault, Node};
