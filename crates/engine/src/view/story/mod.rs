//! What a run did, turn by turn, as pieces that a door prints.

mod piece;
mod teller;

pub use piece::{CallName, Piece, Story, StoryLine};
pub use teller::story;
