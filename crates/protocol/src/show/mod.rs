//! What a model reads: the offer of a turn, observations of outcomes, and the transcript.

pub mod observe;
pub mod offer;
mod render;
pub mod tokens;
pub mod transcript;
