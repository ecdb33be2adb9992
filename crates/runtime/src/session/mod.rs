//! A run and its session, over the port of stored sessions: the lock while it works, the transcript when it is done.

mod lock;
mod transcript;

pub use lock::StoredLock;
pub use transcript::StoredTranscript;
