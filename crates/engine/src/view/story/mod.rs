//! What a run did, in the order in which people read it, as pieces that a door prints.

mod outcome;
mod piece;
mod reader;
mod totals;

pub use outcome::CallOutcome;
pub use piece::{Allowance, CallEnd, CallName, Piece, ProgramOutput, StoryLine};
pub use reader::{Story, StoryReader, story};
pub use totals::Totals;
