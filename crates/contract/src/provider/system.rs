//! Instructions of formats that keep them outside the conversation.

use serde_json::{Value, json};

use super::encoded::Losses;
use super::fields::restored;
use super::item::{Item, Speaker, What};
use super::segment::Prior;
use super::{Part, Provider};

/// Takes the instructions out of the conversation: their blocks, and the rest.
pub(super) fn split(
    items: Vec<Item>,
    provider: Provider,
    prior: &Prior,
    losses: &mut Losses,
) -> (Vec<Value>, Vec<Item>) {
    let (mut blocks, mut talk) = (Vec::new(), Vec::new());
    for item in items {
        if !item.speaker.instructs() {
            talk.push(item);
            continue;
        }
        let index = item.index;
        match instruction(&item, provider) {
            Some(block) => blocks.push(block),
            None => losses.note(index, "instruction", format!("{} takes only text here", provider.label())),
        }
        if prior.begun || !talk.is_empty() {
            let why = format!("{} keeps instructions before the conversation", provider.label());
            losses.note(index, "place of an instruction", why);
        }
        if item.speaker == Speaker::Developer {
            losses.note(index, "role developer", format!("{} knows only system", provider.label()));
        }
    }
    (blocks, talk)
}

/// The text block of an instruction; none when it is blank or no text.
fn instruction(item: &Item, provider: Provider) -> Option<Value> {
    let What::Say(Part::Text { text, fields }) = &item.what else { return None };
    if text.trim().is_empty() {
        return None;
    }
    let block = match provider {
        Provider::Gemini => json!({ "text": text }),
        Provider::Anthropic | Provider::OpenaiChat | Provider::OpenaiResponses => {
            json!({ "type": "text", "text": text })
        }
    };
    Some(restored(block, fields.as_ref()))
}
