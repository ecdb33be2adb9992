//! Images and files as Responses write them.

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
    if matches!(&media.source, Source::Url { media_type: Some(_), .. }) {
        losses.note(index, "media type", "a URL has no place for it");
    }
    let part = match (media.kind(), &media.source) {
        (MediaKind::Image, source) => json!({ "type": "input_image", "image_url": source.to_address() }),
        (MediaKind::File, Source::Url { url, .. }) => json!({ "type": "input_file", "file_url": url }),
        (MediaKind::File, source) => {
            if media.name.is_none() {
                losses.note(index, "missing name of a file", "one is demanded; sent as \"file\"");
            }
            let name = media.name.as_deref().unwrap_or(UNNAMED);
            json!({ "type": "input_file", "file_data": source.to_address(), "filename": name })
        }
        (kind @ (MediaKind::Audio | MediaKind::Video), _) => {
            losses.note(index, kind.to_string(), "Responses take images and files only");
            return None;
        }
    };
    let named_file = matches!((media.kind(), &media.source), (MediaKind::File, Source::Data { .. }));
    if media.name.is_some() && !named_file {
        losses.note(index, format!("name of {}", media.kind()), "Responses have no place for it");
    }
    Some(restored(part, fields))
}

/// The medium of a part; none when it is no medium, or one the provider keeps.
pub(super) fn from_part(part: &Value) -> Option<Part> {
    let object = part.as_object()?;
    let text = |key| json::non_empty_text(object, key);
    let url = |url: &str| Source::Url { url: url.to_owned(), media_type: None };
    let (kind, source, known): (_, _, &[&str]) = match (type_of(part), text("file_url")) {
        ("input_image", _) => {
            (MediaKind::Image, Source::from_address(text("image_url")?), &["type", "image_url"])
        }
        ("input_file", Some(address)) => (MediaKind::File, url(address), &["type", "file_url"]),
        ("input_file", None) => {
            let source = Source::from_address(text("file_data")?);
            (MediaKind::File, source, &["type", "file_data", "filename"])
        }
        _ => return None,
    };
    let name = text("filename").filter(|_| known.contains(&"filename")).map(str::to_owned);
    let media = Media::new(kind, source, name);
    let fields = ProviderFields::of(Provider::OpenaiResponses.word(), rest(object, known), Object::new());
    (media.kind() == kind).then_some(Part::Media { media, fields })
}
