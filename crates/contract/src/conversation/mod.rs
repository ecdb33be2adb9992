//! A conversation from outside: what a runner is asked for, and the result envelope it leaves.

pub mod result;

pub use result::ConversationResult;
