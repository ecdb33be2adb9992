//! Images, audio, video and files as Gemini writes them.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::provider::encoded::Losses;
use crate::provider::fields::{rest, restored};
use crate::provider::{Media, MediaKind, Part, Provider, ProviderFields, Source};

/// The part of a medium; what Gemini cannot carry is told.
pub(super) fn to_part(
    index: usize,
    media: &Media,
    fields: Option<&ProviderFields>,
    losses: &mut Losses,
) -> Option<Value> {
    let part = match &media.source {
        Source::Data { media_type, data } => {
            json!({ "inlineData": { "mimeType": media_type, "data": data } })
        }
        Source::Url { url, media_type: Some(media_type) } => {
            json!({ "fileData": { "mimeType": media_type, "fileUri": url } })
        }
        Source::Url { media_type: None, .. } => {
            losses.note(index, media.kind().to_string(), "Gemini wants to know the type of what a URL holds");
            return None;
        }
    };
    if media.name.is_some() {
        losses.note(index, format!("name of {}", media.kind()), "Gemini has no place for it");
    }
    Some(restored(part, fields))
}

/// The medium of a part; none when it is none.
pub(super) fn from_part(part: &Value) -> Option<Part> {
    let object = part.as_object()?;
    let (key, at) =
        if object.contains_key("inlineData") { ("inlineData", "data") } else { ("fileData", "fileUri") };
    let inner = json::object(object, key)?;
    let media_type = json::non_empty_text(inner, "mimeType")?.to_owned();
    let address = json::non_empty_text(inner, at)?.to_owned();
    let source = if at == "data" {
        Source::Data { media_type, data: address }
    } else {
        Source::Url { url: address, media_type: Some(media_type) }
    };
    let mut block = rest(object, &[key]);
    let inner = rest(inner, &["mimeType", at]);
    if !inner.is_empty() {
        block.insert(key.to_owned(), Value::Object(inner));
    }
    let fields = ProviderFields::of(Provider::Gemini.word(), block, Object::new());
    Some(Part::Media { media: Media::new(MediaKind::File, source, None), fields })
}
