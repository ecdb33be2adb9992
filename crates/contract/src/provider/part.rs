//! One piece of what a message says: text, media, or a block only its provider can read.
//!
//! A message whose content is text says one text. Otherwise its content is a list of:
//! - `{"type": "text", "text": …}`
//! - `{"type": "image" | "audio" | "video" | "file", "media_type": …, "data": base64}`, or `"url"`
//!   instead of `"data"`, with an optional `"name"`
//! - `{"type": "opaque", "provider": …, "block": …}`: a block kept word for word, in its place
//!
//! Text and media may have `"provider_fields"` (see [`ProviderFields`]).

use serde_json::{Value, json};

use super::fields;
use super::{Media, MediaKind, ProviderFields};
use crate::json;
use crate::{ContractError, Result};

const CODE: &str = "invalid_message_part";
const KEYS: [&str; 9] =
    ["type", "text", "media_type", "data", "url", "name", "provider", "block", fields::KEY];

/// One piece of what a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// What its provider wrote beside it.
        fields: Option<ProviderFields>,
    },
    /// An image, sound, video or file.
    Media {
        /// The media.
        media: Media,
        /// What its provider wrote beside it.
        fields: Option<ProviderFields>,
    },
    /// A block only its provider can read, word for word.
    Opaque {
        /// The provider, by its wire word.
        provider: String,
        /// The block.
        block: Value,
    },
}

impl Part {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), fields: None }
    }

    /// Reads one part; a bare string is text.
    pub fn parse(value: &Value) -> Result<Self> {
        if let Some(text) = value.as_str() {
            return Ok(Self::text(text));
        }
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "must be an object"));
        };
        let fields = json::present(raw, fields::KEY).map(ProviderFields::parse).transpose()?;
        let word = json::text(raw, "type").unwrap_or_default();
        if let Ok(kind) = word.parse::<MediaKind>() {
            return Ok(Self::Media { media: Media::parse(kind, raw)?, fields });
        }
        match (word, json::text(raw, "text"), json::non_empty_text(raw, "provider"), raw.get("block")) {
            ("text", Some(text), _, _) => Ok(Self::Text { text: text.to_owned(), fields }),
            ("text", None, _, _) => Err(ContractError::field(CODE, "text", "must be a string")),
            ("opaque", _, Some(provider), Some(block)) => {
                Ok(Self::Opaque { provider: provider.to_owned(), block: block.clone() })
            }
            ("opaque", ..) => Err(ContractError::fields(CODE, vec!["provider".into(), "block".into()])),
            _ => Err(ContractError::field(CODE, "type", "must be text, image, audio, video, file or opaque")),
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let (mut wire, fields) = match self {
            Self::Text { text, fields } => (json!({ "type": "text", "text": text }), fields.as_ref()),
            Self::Media { media, fields } => (media.to_value(), fields.as_ref()),
            Self::Opaque { provider, block } => {
                (json!({ "type": "opaque", "provider": provider, "block": block }), None)
            }
        };
        if let (Some(map), Some(fields)) = (wire.as_object_mut(), fields) {
            map.insert(fields::KEY.into(), fields.to_value());
        }
        wire
    }

    /// The keys of a part that no reader of parts looks at.
    pub(super) fn unknown_keys(value: &Value) -> Vec<&str> {
        let keys = value.as_object().into_iter().flat_map(|raw| raw.keys());
        keys.map(String::as_str).filter(|key| !KEYS.contains(key)).collect()
    }
}
