//! Keeping an oversized result from flooding a transcript.

use serde_json::{Value, json};

use crate::canonical;
use crate::citation::Citation;
use crate::json::{self, Object};

const CITATIONS: &str = "citations";
const DROPPED: &str = "citations_dropped";

/// Replaces a result of more than so many bytes of JSON by an excerpt, its leading citations kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolResultTruncator {
    bytes_max: usize,
}

/// A result after truncation.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncation {
    /// The result, shortened or as it was.
    pub result: Object,
    /// Whether it was shortened.
    pub truncated: bool,
    /// What was measured: `original_bytes`, and when shortened `excerpt_bytes` and `citations_dropped`.
    pub metadata: Object,
}

impl ToolResultTruncator {
    /// A truncator; the limit is at least one byte.
    pub fn new(bytes_max: i64) -> Self {
        Self { bytes_max: usize::try_from(bytes_max).unwrap_or(0).max(1) }
    }

    /// Shortens a result when the whole of it, not only its payload, is too large.
    pub fn truncate(&self, result: &Object) -> Truncation {
        let text = canonical::compact(&Value::Object(result.clone()));
        // The text is ASCII, so every byte is a place to cut.
        let excerpt = match text.get(..self.bytes_max) {
            Some(excerpt) if excerpt.len() < text.len() => excerpt,
            _ => {
                let metadata = Object::from_iter([("original_bytes".to_owned(), text.len().into())]);
                return Truncation { result: result.clone(), truncated: false, metadata };
            }
        };
        let mut measured = Object::from_iter([
            ("original_bytes".to_owned(), text.len().into()),
            ("excerpt_bytes".to_owned(), excerpt.len().into()),
        ]);
        let mut payload = json!({ "truncated": true, "excerpt": excerpt });
        let mut metadata = json::object_or_empty(result, "metadata");
        metadata.shift_remove(DROPPED);

        let cited =
            result.get("result").and_then(|payload| payload.get(CITATIONS)).map(|list| self.bounded(list));
        let cited_beside = metadata.shift_remove(CITATIONS).map(|list| self.bounded(&list));
        let lists = [&cited, &cited_beside];
        let dropped: usize = lists.into_iter().flatten().map(|list| list.dropped).sum();
        if dropped > 0 {
            measured.insert(DROPPED.into(), dropped.into());
        }
        metadata.extend(cited_beside.and_then(BoundedCitations::into_member));
        metadata.insert("truncated".into(), true.into());
        metadata.extend(measured.clone());
        if let Some(payload) = payload.as_object_mut() {
            payload.extend(measured.clone());
            payload.extend(cited.and_then(BoundedCitations::into_member));
        }
        let mut shortened = result.clone();
        shortened.insert("result".into(), payload);
        shortened.insert("metadata".into(), Value::Object(metadata));
        Truncation { result: shortened, truncated: true, metadata: measured }
    }

    /// The leading citations that fit into the limit as one JSON list.
    fn bounded(&self, list: &Value) -> BoundedCitations {
        let citations = Citation::parse_many(list);
        // The brackets, then each citation and its comma.
        let mut bytes = 1;
        let fits = |citation: &&Citation| {
            bytes += canonical::compact(&citation.to_value()).len() + 1;
            bytes <= self.bytes_max
        };
        let kept: Vec<Value> = citations.iter().take_while(fits).map(Citation::to_value).collect();
        BoundedCitations { dropped: citations.len() - kept.len(), kept }
    }
}

impl Default for ToolResultTruncator {
    fn default() -> Self {
        Self::new(8192)
    }
}

struct BoundedCitations {
    kept: Vec<Value>,
    dropped: usize,
}

impl BoundedCitations {
    /// The member `citations`; a list that lost all its entries is left out.
    fn into_member(self) -> Option<(String, Value)> {
        let lost_all = self.kept.is_empty() && self.dropped > 0;
        (!lost_all).then(|| (CITATIONS.to_owned(), Value::Array(self.kept)))
    }
}
