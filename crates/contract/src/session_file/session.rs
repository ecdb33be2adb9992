//! What was read from a file.

use serde_json::Value;

use super::{Format, LeftOut};

/// A conversation found in a session file.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// The program that wrote it.
    pub format: Format,
    /// The id that program gave it.
    pub id: Option<String>,
    /// The conversation, in the shape of [`Format::provider`].
    pub body: Value,
    /// What the file holds besides, by kind and reason, in the order it was met.
    pub left_out: Vec<LeftOut>,
}
