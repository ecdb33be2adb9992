//! Citations: where the content of a result came from, in a small generic shape.

use serde_json::Value;

use crate::json::{self, Object};
use crate::loose;

const CITATIONS: &str = "citations";
const TEXT_FIELDS: [&str; 7] =
    ["source", "source_id", "item_id", "fragment_id", "source_title", "source_url", "excerpt"];
const SCORE: &str = "score";

/// One citation: its known fields are texts that are not blank and a numeric score; fields of the
/// caller's own come first and are kept as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Citation(Object);

impl Citation {
    /// Reads a citation; a known field that cannot be read is left out.
    pub fn parse(raw: &Object) -> Self {
        let is_known = |field: &str| TEXT_FIELDS.contains(&field) || field == SCORE;
        let own = raw.iter().filter(|(field, _)| !is_known(field));
        let mut citation: Object = own.map(|(field, value)| (field.clone(), value.clone())).collect();
        let texts = TEXT_FIELDS.into_iter().filter_map(|field| Some((field, text_of(raw.get(field)?)?)));
        citation.extend(texts.map(|(field, text)| (field.to_owned(), text.into())));
        let score = raw.get(SCORE).and_then(loose::number);
        citation.extend(score.map(|score| (SCORE.to_owned(), score.into())));
        Self(citation)
    }

    /// Reads the entries of a list, or of an object's values; what is no citation or says nothing is left out.
    pub fn parse_many(value: &Value) -> Vec<Self> {
        let citations = json::entries(value).into_iter().filter_map(Value::as_object).map(Self::parse);
        citations.filter(|citation| !citation.0.is_empty()).collect()
    }

    /// Reads metadata: its `citations`, when it has that key, become a list of citations; the rest is kept.
    pub fn in_metadata(mut metadata: Object) -> Object {
        if let Some(citations) = metadata.get_mut(CITATIONS) {
            *citations = Self::parse_many(citations).iter().map(Self::to_value).collect();
        }
        metadata
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

/// Ids may be numbers; a flag is no text.
fn text_of(value: &Value) -> Option<String> {
    Some(value).filter(|value| !value.is_boolean()).and_then(loose::text)
}
