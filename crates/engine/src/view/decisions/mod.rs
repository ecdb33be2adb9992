//! Every decision of a run, with the layer or actor that made it.
//!
//! A decision is something that could have gone otherwise: a rule that let a call run, an approval, a limit.
//! What only happened (a result, a message) is in the story.

mod call;
mod decided;
mod reader;
mod run;
mod visibility;
mod wait;

pub use decided::Decided;
use reader::Reader;
pub use reader::decisions;
