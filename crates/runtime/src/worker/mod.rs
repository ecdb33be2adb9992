//! Working on runs under claims: one writer a run, whichever process it is.

mod lease;
mod owner;
mod work;

pub use owner::Owner;
pub use work::{WorkError, Worker};
