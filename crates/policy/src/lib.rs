//! The rules of Provost, as pure decisions.
//!
//! Every function here answers with the decision *and* the rule, layer and inputs that made it.
//! Decisions are ordered by severity, so that deny wins by arithmetic. Nothing here reads a clock,
//! awaits or performs I/O.
#![deny(clippy::wildcard_enum_match_arm)]
