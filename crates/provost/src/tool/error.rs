//! Why a tool did not do its work.

use std::fmt;

/// What went wrong, in words the model reads.
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
    /// An error with these words.
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

/// Any error can be told to the model, with what caused it. A `ToolError` itself is no
/// [`std::error::Error`], so that `?` takes every other one.
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
