//! Images and documents as Anthropic writes them.

use serde_json::{Value, json};

use crate::json;
use crate::provider::body::{text_at, type_of};
use crate::provider::encoded::Losses;
use crate::provider::fields::{rest, restored};
use crate::provider::{Media, MediaKind, Part, Provider, ProviderFields, Source};

const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const PDF: &str = "application/pdf";

/// The block of a medium; what Anthropic cannot carry is told.
pub(super) fn to_block(
    index: usize,
    media: &Media,
    fields: Option<&ProviderFields>,
    losses: &mut Losses,
) -> Option<Value> {
    let (kind, allowed): (&str, &[&str]) = match media.kind() {
        MediaKind::Image => ("image", &IMAGE_TYPES),
        MediaKind::File => ("document", &[PDF]),
        MediaKind::Audio | MediaKind::Video => {
            losses.note(index, media.kind().to_string(), "Anthropic reads images and PDF documents only");
            return None;
        }
    };
    if media.media_type().is_some_and(|media_type| !allowed.contains(&media_type)) {
        let what = format!("{} of type {}", media.kind(), media.media_type().unwrap_or_default());
        losses.note(index, what, format!("Anthropic reads {} here", allowed.join(", ")));
        return None;
    }
    let source = match &media.source {
        Source::Data { media_type, data } => {
            json!({ "type": "base64", "media_type": media_type, "data": data })
        }
        Source::Url { url, media_type } => {
            // A document by URL is always a PDF; the type of an image the server finds out itself.
            if media_type.is_some() && kind == "image" {
                losses.note(index, "media type", "Anthropic takes none with the URL of an image");
            }
            if media_type.is_none() && kind == "document" {
                losses.note(index, "file by URL", "Anthropic reads it as a PDF");
            }
            json!({ "type": "url", "url": url })
        }
    };
    let mut block = json!({ "type": kind, "source": source });
    if let (Some(block), Some(name)) = (block.as_object_mut(), &media.name) {
        if kind == "document" {
            block.insert("title".into(), name.as_str().into());
        } else {
            losses.note(index, "name of an image", "Anthropic has no place for it");
        }
    }
    Some(restored(block, fields))
}

/// The medium of an image or document block; none when its source is of another kind.
pub(super) fn from_block(block: &Value) -> Option<Part> {
    let object = block.as_object()?;
    let source = json::object(object, "source")?;
    let kind = if type_of(block) == "image" { MediaKind::Image } else { MediaKind::File };
    let text = |key| json::non_empty_text(source, key).map(str::to_owned);
    let source = match json::text(source, "type")? {
        "base64" => Source::Data { media_type: text("media_type")?, data: text("data")? },
        "url" if kind == MediaKind::File => {
            Source::Url { url: text("url")?, media_type: Some(PDF.to_owned()) }
        }
        "url" => Source::Url { url: text("url")?, media_type: None },
        _ => return None,
    };
    let title = Some(text_at(block, "title")).filter(|title| kind == MediaKind::File && !title.is_empty());
    let known: &[&str] = if title.is_some() { &["type", "source", "title"] } else { &["type", "source"] };
    let media = Media::new(kind, source, title.map(str::to_owned));
    let fields = ProviderFields::of(Provider::Anthropic.word(), rest(object, known), json::Object::new());
    // A document of images, or an image that is none: kept as it is rather than read wrongly.
    (media.kind() == kind).then_some(Part::Media { media, fields })
}
