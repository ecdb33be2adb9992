//! What a tool gives back: a value, and what travels beside it.

use provost_contract::json::Object;
use serde::Serialize;
use serde_json::{Value, json};

use super::ToolError;

/// A result with citations and notes beside it. The model reads the value; the record has everything.
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
    /// A result of a value.
    ///
    /// ```
    /// let output = provost::ToolOutput::new(42);
    /// # drop(output);
    /// ```
    pub fn new(value: T) -> Self {
        Self { value, metadata: Object::new(), citations: Vec::new() }
    }

    /// Says where the value comes from.
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

    /// Notes something beside the value, for records and not for the model.
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

/// Where a part of a result comes from.
///
/// ```
/// let page = provost::Citation::new("handbook").title("Beds").excerpt("Two of them are free.");
/// # drop(page);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Citation(Object);

impl Citation {
    /// A citation of a source.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook");
    /// # drop(page);
    /// ```
    pub fn new(source: &str) -> Self {
        Self::default().says("source", source)
    }

    /// Its title.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook").title("Beds");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.says("source_title", title)
    }

    /// Its address.
    ///
    /// ```
    /// let page = provost::Citation::new("web").url("https://example.org");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn url(self, url: &str) -> Self {
        self.says("source_url", url)
    }

    /// The words that are cited.
    ///
    /// ```
    /// let page = provost::Citation::new("handbook").excerpt("Two are free.");
    /// # drop(page);
    /// ```
    #[must_use]
    pub fn excerpt(self, text: &str) -> Self {
        self.says("excerpt", text)
    }

    /// How well it fits.
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

/// What a tool may return: anything that serialises, or a [`ToolOutput`].
///
/// ```
/// fn takes(_: impl provost::ToolReply) {}
/// takes("done");
/// takes(provost::ToolOutput::new("done").note("cached", true));
/// ```
pub trait ToolReply: Send + 'static {
    /// The reply in the wire form of an executor.
    ///
    /// # Errors
    /// If the value is no JSON.
    fn into_reply(self) -> Result<Value, ToolError>;
}

impl<T: Serialize + Send + 'static> ToolReply for T {
    fn into_reply(self) -> Result<Value, ToolError> {
        // Wrapped, so that a result with a key `success` of its own stays a result.
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
