//! Conversation sessions: what is stored of a conversation, whose it is, and who may touch it.
//!
//! Everything here decides over values at hand. Keeping sessions, and the lock that lets only one writer
//! at a time change one, is a store's business.

mod new_session;
mod ownership;
mod query;
mod refusal;
mod request;
#[cfg(test)]
mod session_tests;
mod stored;

pub use new_session::NewSession;
pub use ownership::owns_row;
pub use query::SessionQuery;
pub use request::{MANAGE_CAPABILITY, Reach, SessionRequest, StoreSupport};
pub use stored::{Continuation, Session, SessionUpdate};
