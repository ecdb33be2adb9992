//! `provost chat`: a conversation of many messages over one stored session.
//!
//! Every message is an ordinary run: `conversation` starts it, or hands the message to the run that waits,
//! `talk` reads lines and watches what comes of them, `line` and `edit` read what a person typed, `input`
//! is where the lines come from, `session` finds and makes sessions, `open` is what waits for a person.

mod conversation;
mod edit;
mod input;
mod line;
mod open;
mod session;
mod talk;

pub(super) use conversation::{Conversation, Opening, newest};
pub(super) use input::Input;
pub(super) use session::find;
pub(super) use talk::Talk;
