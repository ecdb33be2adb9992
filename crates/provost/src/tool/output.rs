//! The output of a tool: a value with citations and notes.

use provost_contract::json::Object;
use serde::Serialize;
use serde_json::{Value, json};

use super::ToolError;

/// A result with citations and notes. The model reads the value; the record has everything.
///
/// ```
/// use provost::{Citation, Tool, ToolOutput};
/// # #[derive(serde::Deserialize, provost::JsonSchema)]
/// # struct Query { text: String }
/// let find = Tool::new("kb/find", "Finds pages.", |query: Query| async move {
///     let page = Citation::new("handbook").title("Beds").url("https://example.org/beds").score(0.9);
///     Ok(ToolOutput::new(format!("2 pages about {}", query.text)).cite(page).note("pages", 2))
/// });
/// # drop(find);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput<T> {
    value: T,
    metadata: Object,
    citations: Vec<Value>,
}

impl<T> ToolOutput<T> {
    /// Creates an output with a value.
    ///
    /// ```
    /// let output = provost::ToolOutput::new(42);
    /// # drop(output);
    /// ```
    pub fn new(value: T) -> Self {
        Self { value, metadata: Object::new(), citations: Vec::new() }
    }

    /// Adds a citation.
    ///
    /// ```
    /// let output = provost::ToolOutput::new(42).cite(provost::Citation::new("guide"));
    /// # drop(output);
    /// ```
    #[must_use]
    pub fn cite(mut self, citation: Citation) -> Self {
        self.citations.push(Value::Object(citation.0));
        self
    }

    /// Adds a note for records; the model does not read it.
    ///
    /// ```
    /// let output = provost::ToolOutput::new(42).note("cached", true);
    /// # drop(output);
    /// ```
    #[must_use]
    pub fn note(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(name.to_owned(), value.into());
        self
    }
}

/// A source of a part of a result.
///
/// ```
/// let page = provost::Citation::new("handbook").title("Beds").excerpt("Two of them are free.");
/// # drop(page);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Citation(Object);

impl Citation {
    /// Creates a citation of a source.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook");
    /// # drop(page);
    /// ```
    pub fn new(source: &str) -> Self {
        Self::default().says("source", source)
    }

    /// Sets its title.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook").title("Beds");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.says("source_title", title)
    }

    /// Sets its URL.
    ///
    /// ```
    /// let page = provost::Citation::new("web").url("https://example.org");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn url(self, url: &str) -> Self {
        self.says("source_url", url)
    }

    /// Sets the quoted text.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook").excerpt("Two are free.");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn excerpt(self, text: &str) -> Self {
        self.says("excerpt", text)
    }

    /// Sets its relevance.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook").score(0.8);
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn score(self, score: f64) -> Self {
        self.says("score", score)
    }

    fn says(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.to_owned(), value.into());
        self
    }
}

/// The return types of a tool: anything that serializes, or a [`ToolOutput`].
///
/// ```
/// fn takes(_: impl provost::ToolReply) {}
/// takes("done");
/// takes(provost::ToolOutput::new("done").note("cached", true));
/// ```
pub trait ToolReply: Send + 'static {
    /// Returns the reply in the wire format of an executor.
    ///
    /// # Errors
    /// If the value cannot be serialized to JSON.
    fn into_reply(self) -> Result<Value, ToolError>;
}

impl<T: Serialize + Send + 'static> ToolReply for T {
    fn into_reply(self) -> Result<Value, ToolError> {
        // Wrapped, so that a result with its own key `success` stays a result.
        Ok(json!({ "success": true, "result": encoded(self)? }))
    }
}

impl<T: Serialize + Send + 'static> ToolReply for ToolOutput<T> {
    fn into_reply(mut self) -> Result<Value, ToolError> {
        if !self.citations.is_empty() {
            self.metadata.insert("citations".to_owned(), self.citations.into());
        }
        Ok(json!({ "success": true, "result": encoded(self.value)?, "metadata": self.metadata }))
    }
}

fn encoded(output: impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(output).map_err(|error| ToolError::new(format!("the result is no JSON: {error}")))
}
