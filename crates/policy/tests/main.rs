//! The policies through their public functions: each denial beside its control, and the laws that hold
//! for any input.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken sample must stop the test")]

mod action_policy;
mod arbitrary;
mod authorization;
mod properties;
mod redaction;
mod rules;
mod visibility;
