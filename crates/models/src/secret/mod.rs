//! Keys: what they are, and the two places they may come from.

mod error;
mod key;
mod source;

pub use error::KeyError;
pub use key::Secret;
