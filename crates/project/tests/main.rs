//! Projects, as programs that stand on this crate meet them.
#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod finding;
