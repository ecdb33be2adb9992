//! What the readers of a record may see of it.
//!
//! A profile says who reads. Every profile hides credentials; what else it hides, and by which rule,
//! is told place by place, so that a person can ask why a value is not there.

mod hide;
mod profile;

pub use hide::{Hidden, Redaction, redact};
pub use profile::Profile;
