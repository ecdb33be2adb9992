//! Models against a server that speaks each provider's own format, without a network and without waiting.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails panics")]

mod asking;
mod cassettes;
mod clock;
mod config;
mod faults;
mod keys;
mod providers;
mod runs;
mod server;
mod weather;
