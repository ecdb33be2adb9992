//! What others read of a run: all of it follows from the events and the state.

mod commit;
mod decisions;
mod observation;
pub mod observer;
mod outcome;
mod page;
mod protocol;
mod records;
mod rest;
pub mod result;
mod shown;
mod status;
mod story;
mod transcript;
mod usage;
mod waiting;
mod waits;

pub use crate::value::value_of;
pub use commit::{ChildOrder, Step, is_session_line, step, wait_row};
pub use decisions::{Decided, decisions};
pub use observation::{observation, observed_section};
pub use observer::{Observed, Observer};
pub use outcome::{outcome_of, output_of};
pub use page::{Page, page};
pub use protocol::{graph_status, protocol_result};
pub use rest::rests_for;
pub use result::conversation_result;
pub use status::{RunStatus, status, summary};
pub use story::{
    Allowance, CallEnd, CallName, CallOutcome, Piece, ProgramOutput, Story, StoryLine, StoryReader, Totals,
    story,
};
pub use transcript::{Entry, transcript};
pub use usage::{Limit, active_ms, usage};
pub use waits::{Pending, open_waits, waits};
