//! A conversation from outside: what a runner is asked for, and the result envelope it leaves.

mod entries;
mod request;
pub mod result;

pub use request::ConversationRequest;
pub use result::ConversationResult;
