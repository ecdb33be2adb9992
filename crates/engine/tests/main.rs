//! Tests of the engine through its public doors.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod codec;
mod examples;
mod fan_out;
mod fixture;
mod graphs;
mod illegal;
mod inputs;
mod journal_doc;
mod line;
mod policies;
mod recovery;
mod rules;
mod sample;
mod stage;
mod states;
mod submitted;
mod values;
mod views;
mod views_decisions;
mod views_story;
mod views_waits;
mod world;
