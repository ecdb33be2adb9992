//! Images, audio and files as Chat Completions write them.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::provider::body::type_of;
use crate::provider::encoded::Losses;
use crate::provider::fields::{rest, restored};
use crate::provider::{Media, MediaKind, Part, Provider, ProviderFields, Source};

/// What a file is called when it has no name: one is demanded.
const UNNAMED: &str = "file";

/// The part of a medium; what the format cannot carry is told.
pub(super) fn to_part(
    index: usize,
    media: &Media,
    fields: Option<&ProviderFields>,
    losses: &mut Losses,
) -> Option<Value> {
    let part = match (media.kind(), &media.source) {
        (MediaKind::Image, source) => {
            if matches!(source, Source::Url { media_type: Some(_), .. }) {
                losses.note(index, "media type", "the URL of an image has no place for it");
            }
            json!({ "type": "image_url", "image_url": { "url": source.to_address() } })
        }
        (MediaKind::Audio, Source::Data { media_type, data }) if audio_format(media_type).is_some() => {
            json!({ "type": "input_audio", "input_audio": { "data": data, "format": audio_format(media_type) } })
        }
        (MediaKind::File, source @ Source::Data { .. }) => {
            let name = media.name.as_deref().unwrap_or_else(|| {
                losses.note(index, "missing name of a file", "one is demanded; sent as \"file\"");
                UNNAMED
            });
            json!({ "type": "file", "file": { "file_data": source.to_address(), "filename": name } })
        }
        (kind @ (MediaKind::Audio | MediaKind::Video | MediaKind::File), _) => {
            let why = "Chat Completions take images, wav and mp3 data and file data only";
            losses.note(index, kind.to_string(), why);
            return None;
        }
    };
    if media.name.is_some() && media.kind() != MediaKind::File {
        losses.note(index, format!("name of {}", media.kind()), "Chat Completions have no place for it");
    }
    Some(restored(part, fields))
}

/// The medium of a part; none when it is no medium, or one the provider keeps.
pub(super) fn from_part(part: &Value) -> Option<Part> {
    let object = part.as_object()?;
    let inner = json::object(object, type_of(part))?;
    let text = |key| json::non_empty_text(inner, key);
    let (kind, source, known): (_, _, &[&str]) = match type_of(part) {
        "image_url" => (MediaKind::Image, Source::from_address(text("url")?), &["url"]),
        "input_audio" => {
            let media_type = audio_type(text("format")?)?.to_owned();
            (
                MediaKind::Audio,
                Source::Data { media_type, data: text("data")?.to_owned() },
                &["data", "format"],
            )
        }
        "file" => (MediaKind::File, Source::from_address(text("file_data")?), &["file_data", "filename"]),
        _ => return None,
    };
    let media = Media::new(kind, source, text("filename").map(str::to_owned));
    let mut block = rest(object, &["type", type_of(part)]);
    let inner = rest(inner, known);
    if !inner.is_empty() {
        block.insert(type_of(part).to_owned(), Value::Object(inner));
    }
    let fields = ProviderFields::of(Provider::OpenaiChat.word(), block, Object::new());
    (media.kind() == kind).then_some(Part::Media { media, fields })
}

fn audio_format(media_type: &str) -> Option<&'static str> {
    match media_type {
        "audio/wav" => Some("wav"),
        "audio/mpeg" => Some("mp3"),
        _ => None,
    }
}

fn audio_type(format: &str) -> Option<&'static str> {
    match format {
        "wav" => Some("audio/wav"),
        "mp3" => Some("audio/mpeg"),
        _ => None,
    }
}
