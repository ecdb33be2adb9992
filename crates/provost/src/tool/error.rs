//! The error of a tool.

use std::fmt;

/// An error message that the model reads.
///
/// ```
/// use provost::ToolError;
/// fn read(text: &str) -> Result<u64, ToolError> {
///     let number: u64 = text.parse()?; // any error becomes one
///     if number > 9 {
///         return Err(ToolError::new("at most 9"));
///     }
///     Ok(number)
/// }
/// assert_eq!(read("12").unwrap_err().to_string(), "at most 9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// Creates an error with a message.
    ///
    /// ```
    /// assert_eq!(provost::ToolError::new("not there").to_string(), "not there");
    /// ```
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Any error converts to a `ToolError`, with its sources. `ToolError` itself does not implement
/// [`std::error::Error`], so that `?` can convert every other error.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut words = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            words = format!("{words}: {error}");
            cause = error.source();
        }
        Self(words)
    }
}
