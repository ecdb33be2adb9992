//! What must not be shown: the one place that knows which names are sensitive and how a value is hidden.
//!
//! A *name* is the key of a value: a parameter, a header, a field of metadata. Whoever writes a value
//! into a record, an event or a prompt asks here first; nobody else keeps a list of such names.

mod name;
mod redact;
mod repeat;
mod word;

pub use name::{is_credential_name, is_sensitive_name};
pub use redact::{REDACTED, holds_redacted, redact_names, without_redacted};
pub use repeat::HiddenValues;
