//! Images, audio, video and files, by their bytes or by a URL.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{Display, EnumString, IntoStaticStr};

use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_message_part";

/// What a person would call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A moving picture.
    Video,
    /// Any other file, such as a PDF.
    File,
}

/// Where the bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Here, in base64.
    Data {
        /// The MIME type.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
    /// Somewhere the provider can fetch them.
    Url {
        /// The address.
        url: String,
        /// The MIME type, when it is known.
        media_type: Option<String>,
    },
}

/// One image, sound, video or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// What it is; follows from the MIME type where that says it.
    kind: MediaKind,
    /// Where its bytes are.
    pub source: Source,
    /// What the file is called.
    pub name: Option<String>,
}

impl Media {
    /// Builds one; a MIME type that names a kind beats the given kind.
    pub fn new(kind: MediaKind, source: Source, name: Option<String>) -> Self {
        let kind = match &source {
            Source::Data { media_type, .. } => MediaKind::of_type(media_type),
            Source::Url { media_type: Some(media_type), .. } => MediaKind::of_type(media_type),
            Source::Url { media_type: None, .. } => kind,
        };
        Self { kind, source, name }
    }

    /// What it is.
    pub fn kind(&self) -> MediaKind {
        self.kind
    }

    /// The MIME type, when it is known.
    pub fn media_type(&self) -> Option<&str> {
        match &self.source {
            Source::Data { media_type, .. } => Some(media_type),
            Source::Url { media_type, .. } => media_type.as_deref(),
        }
    }

    pub(super) fn parse(kind: MediaKind, raw: &Object) -> Result<Self> {
        let text = |key| json::non_empty_text(raw, key).map(str::to_owned);
        let media_type = text("media_type");
        let source = match (text("data"), text("url"), media_type) {
            (Some(data), None, Some(media_type)) => Source::Data { media_type, data },
            (Some(_), None, None) => {
                return Err(ContractError::field(CODE, "media_type", "must name the type of the data"));
            }
            (None, Some(url), media_type) => Source::Url { url, media_type },
            (Some(_), Some(_), _) | (None, None, _) => {
                return Err(ContractError::field(CODE, "data", "or url must be given, and only one of them"));
            }
        };
        Ok(Self::new(kind, source, text("name")))
    }

    pub(super) fn to_value(&self) -> Value {
        let mut wire = match &self.source {
            Source::Data { media_type, data } => {
                json!({ "type": self.kind, "media_type": media_type, "data": data })
            }
            Source::Url { url, media_type: Some(media_type) } => {
                json!({ "type": self.kind, "media_type": media_type, "url": url })
            }
            Source::Url { url, media_type: None } => json!({ "type": self.kind, "url": url }),
        };
        if let (Some(map), Some(name)) = (wire.as_object_mut(), &self.name) {
            map.insert("name".into(), name.as_str().into());
        }
        wire
    }
}

impl MediaKind {
    fn of_type(media_type: &str) -> Self {
        match media_type.split('/').next() {
            Some("image") => Self::Image,
            Some("audio") => Self::Audio,
            Some("video") => Self::Video,
            _ => Self::File,
        }
    }
}

impl Source {
    /// Reads an address as OpenAI writes it: `data:TYPE;base64,BYTES`, or a URL.
    pub(super) fn from_address(address: &str) -> Self {
        let inline = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
        match inline {
            Some((media_type, data)) if !media_type.is_empty() && !data.is_empty() => {
                Self::Data { media_type: media_type.to_owned(), data: data.to_owned() }
            }
            _ => Self::Url { url: address.to_owned(), media_type: None },
        }
    }

    /// The address as OpenAI reads it.
    pub(super) fn to_address(&self) -> String {
        match self {
            Self::Data { media_type, data } => format!("data:{media_type};base64,{data}"),
            Self::Url { url, .. } => url.clone(),
        }
    }
}
