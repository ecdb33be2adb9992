//! The first step of every `encode`: items in sendable order, with wire names and wire ids, and only
//! what this provider can read.

use std::collections::HashSet;

use super::encoded::Losses;
use super::flatten::flatten;
use super::item::{Item, What};
use super::order::arrange;
use super::read::read;
use super::segment::Prior;
use super::{Part, Provider, ProviderFields, ToolNames};
use crate::tool_pair::partners;
use crate::{Message, canonical};

/// How long a tool name may be at every provider.
pub(super) const NAME_MAX: usize = 64;
const HASH_LENGTH: usize = 16;
/// The fields of a message that say what it says: they come from us alone.
const RESERVED: [&str; 5] = ["type", "role", "content", "tool_calls", "tool_call_id"];

/// What a provider demands of the ids of calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallIds {
    pub(super) length_max: usize,
    pub(super) characters: Characters,
}

/// The characters an id may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Characters {
    Any,
    /// Letters, digits, `_` and `-`.
    Word,
}

/// Items ready for one provider, and what was lost on the way.
pub(super) struct Prepared {
    pub(super) items: Vec<Item>,
    pub(super) losses: Losses,
    /// The ids and names reported as lost for the first time.
    pub(super) reported: HashSet<String>,
}

/// Prepares messages for a provider. `prior` describes the messages before them.
pub(super) fn prepare(
    messages: &[Message],
    provider: Provider,
    ids: CallIds,
    names: &dyn ToolNames,
    prior: &Prior,
) -> Prepared {
    let flat = flatten(messages);
    let Ok(partners) = partners(&flat);
    let order = arrange(&flat, &partners);
    let mut losses = Losses::default();
    let items = read(order.iter().filter_map(|position| flat.get(*position)), &mut losses);
    let mut rim = Rim { provider, ids, names, prior, reported: HashSet::new(), losses };
    let items = items.into_iter().filter_map(|item| rim.pass(item)).collect();
    Prepared { items, losses: rim.losses, reported: rim.reported }
}

/// The border every item passes on its way out.
struct Rim<'a> {
    provider: Provider,
    ids: CallIds,
    names: &'a dyn ToolNames,
    prior: &'a Prior,
    /// The ids and names reported as lost: each is reported once, however often it occurs.
    reported: HashSet<String>,
    losses: Losses,
}

impl Rim<'_> {
    fn pass(&mut self, item: Item) -> Option<Item> {
        let index = item.index;
        let what = match item.what {
            What::Say(part) => What::Say(self.own_part(index, part, Place::Part)?),
            What::Call(mut call) => {
                call.fields = self.own_fields(index, call.fields, Place::Call);
                call.id = self.wire_id(index, call.id);
                call.name = self.wire_name(index, &call.name);
                What::Call(call)
            }
            What::Answer(mut answer) => {
                answer.fields = self.own_fields(index, answer.fields, Place::Answer);
                let parts = answer.content.into_iter();
                answer.content =
                    parts.filter_map(|part| self.own_part(index, part, Place::InAnswer)).collect();
                answer.id = self.wire_id(index, answer.id);
                answer.name = self.wire_name(index, &answer.name);
                What::Answer(answer)
            }
        };
        Some(Item { what, ..item })
    }

    fn is_own(&self, provider: &str) -> bool {
        provider == self.provider.word()
    }

    fn own_part(&mut self, index: usize, part: Part, place: Place) -> Option<Part> {
        match part {
            Part::Opaque { provider, block } if self.is_own(&provider) => {
                Some(Part::Opaque { provider, block })
            }
            Part::Opaque { provider, block } => {
                let kind = block.get("type").and_then(|kind| kind.as_str()).unwrap_or("opaque");
                let why = format!("only {provider} can read it");
                self.losses.note(index, format!("{kind} block of {provider}"), why);
                None
            }
            Part::Text { text, fields } => {
                let fields = self.own_fields(index, fields, place);
                // Only Gemini sends what it must have back on an empty text.
                if text.is_empty() && (fields.is_none() || self.provider != Provider::Gemini) {
                    self.losses.note(index, "empty text", "it says nothing, and providers refuse it");
                    return None;
                }
                Some(Part::Text { text, fields })
            }
            Part::Media { media, fields } => {
                Some(Part::Media { media, fields: self.own_fields(index, fields, place) })
            }
        }
    }

    /// The fields this provider wrote, as far as they have a place there.
    fn own_fields(
        &mut self,
        index: usize,
        fields: Option<ProviderFields>,
        place: Place,
    ) -> Option<ProviderFields> {
        let mut fields = fields?;
        if !self.is_own(&fields.provider) {
            let what = format!("{} of {}", fields.names(), fields.provider);
            self.losses.note(index, what, format!("only {} can read it", fields.provider));
            return None;
        }
        let (on_block, on_message) = place.keeps(self.provider);
        let mut lose = |name: &str| {
            self.losses.note(index, name, format!("{} has no place for it here", self.provider.label()));
            false
        };
        fields.block.retain(|name, _| on_block || lose(name));
        fields.message.retain(|name, _| (on_message && !RESERVED.contains(&name.as_str())) || lose(name));
        ProviderFields::of(self.provider.word(), fields.block, fields.message)
    }

    fn wire_id(&mut self, index: usize, id: String) -> String {
        if id.is_empty() || self.ids.allow(&id) {
            return id;
        }
        let fitted = fitted(&id, self.ids.length_max);
        self.report_once(index, format!("call id {id}"), &fitted);
        fitted
    }

    fn wire_name(&mut self, index: usize, canonical: &str) -> String {
        let alias = self.names.alias(canonical);
        if is_tool_name(&alias) {
            return alias.into_owned();
        }
        let fitted = fitted(&alias, NAME_MAX);
        self.report_once(index, format!("tool name {canonical:?}"), &fitted);
        fitted
    }

    fn report_once(&mut self, index: usize, what: String, fitted: &str) {
        if !self.prior.reported.contains(&what) && self.reported.insert(what.clone()) {
            let why = format!("{} refuses it; sent as {fitted}", self.provider.label());
            self.losses.note(index, what, why);
        }
    }
}

/// Where fields are to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Part,
    Call,
    Answer,
    InAnswer,
}

impl Place {
    /// Whether a provider takes fields on the block here, and on the message around it.
    fn keeps(self, provider: Provider) -> (bool, bool) {
        match (provider, self) {
            (Provider::OpenaiChat, Self::Part | Self::Call) | (Provider::OpenaiResponses, Self::Part) => {
                (true, true)
            }
            (Provider::OpenaiChat, Self::Answer) => (false, true),
            (Provider::Anthropic | Provider::Gemini, _)
            | (Provider::OpenaiResponses, Self::Call | Self::Answer | Self::InAnswer)
            | (Provider::OpenaiChat, Self::InAnswer) => (true, false),
        }
    }
}

impl CallIds {
    /// Whether an id may be sent as it is.
    pub(super) fn allow(self, id: &str) -> bool {
        let known = self.characters == Characters::Any || id.chars().all(is_word);
        known && !id.is_empty() && id.chars().count() <= self.length_max
    }
}

/// Whether every provider takes this as the name of a tool.
pub(super) fn is_tool_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_MAX && name.chars().all(is_word)
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

/// A word that fits and still tells one from another: what can be read of it, and a hash of it all.
fn fitted(text: &str, length_max: usize) -> String {
    let hash = canonical::sha256_hex(text.as_bytes());
    let short: String = hash.chars().take(HASH_LENGTH).collect();
    let room = length_max.saturating_sub(HASH_LENGTH + 1);
    let readable = text.chars().take(room).map(|character| if is_word(character) { character } else { '_' });
    let readable: String = readable.collect();
    let readable = if readable.is_empty() { "unnamed" } else { &readable };
    format!("{readable}-{short}")
}
