//! Known keys, taken out of what is recorded.

use std::sync::Arc;

use provost_contract::provider_turn::ProviderTurn;
use provost_contract::sensitivity::REDACTED as HIDDEN;
use provost_runtime::port::{Boxed, Model, ModelError, Reservation, TurnAnswer, TurnRequest};
use serde_json::Value;

use crate::{ModelConfig, Secret};

/// What a tool writes where it left out the middle of an output.
const LEFT_OUT: &str = " bytes left out]";
/// A shorter part of a key is not looked for at the place of a cut.
const PART_MIN: usize = 4;
/// Shorter texts are not cut by any limit.
const CUT_MIN: usize = 250;

/// A shorter text is no key; masking it would hide ordinary words.
const BYTES_MIN: usize = 8;

/// The values of known keys. Whatever enters a record passes here first: results of tools, answers and
/// failures of models. A key in another form (base64, reversed) is not recognised.
#[derive(Clone, Debug, Default)]
pub struct Masks(Arc<Vec<Secret>>);

impl Masks {
    /// The keys of configured models. One that cannot be read now is not known.
    pub fn of<'c>(models: impl IntoIterator<Item = &'c ModelConfig>) -> Self {
        let keys = models.into_iter().filter_map(|model| model.key().ok().flatten());
        let mut keys: Vec<Secret> = keys.filter(|key| key.expose().len() >= BYTES_MIN).collect();
        // A key that begins like another one must not leave the rest of that one behind.
        keys.sort_by_key(|key| std::cmp::Reverse(key.expose().len()));
        Self(Arc::new(keys))
    }

    /// The keys, for a recorder.
    pub fn secrets(&self) -> Vec<Secret> {
        self.0.to_vec()
    }

    /// A text without the keys.
    pub fn text(&self, text: String) -> String {
        let holds = |key: &&Secret| text.contains(key.expose());
        let text = match self.0.iter().find(holds) {
            Some(_) => self.0.iter().fold(text, |text, key| key.hide_in(&text)),
            None => text,
        };
        self.0.iter().fold(text, |text, key| without_parts(text, key.expose()))
    }

    /// A value without the keys, in texts and in names.
    pub fn value(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (self.text(name), self.value(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn answer(&self, answer: TurnAnswer) -> Result<TurnAnswer, ModelError> {
        match answer {
            TurnAnswer::Host(turn) => Ok(TurnAnswer::Host(self.value(turn))),
            TurnAnswer::Provider(turn) => {
                let said = turn.to_value();
                let masked = self.value(said.clone());
                // The turn of the adapter goes on as it is, unless there is something to hide.
                let Some(masked) = masked.as_object().filter(|_| masked != said) else {
                    return Ok(TurnAnswer::Provider(turn));
                };
                let turn = ProviderTurn::parse(masked);
                let turn = turn.map_err(|error| ModelError::new("invalid_provider_turn", error.message()))?;
                Ok(TurnAnswer::Provider(Box::new(turn)))
            }
        }
    }
}

/// A model whose answers hold no known keys.
pub struct Masked {
    inner: Arc<dyn Model>,
    masks: Masks,
}

impl Masked {
    /// Masks the answers of a model.
    pub fn new(inner: Arc<dyn Model>, masks: Masks) -> Self {
        Self { inner, masks }
    }
}

impl Model for Masked {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        self.inner.reserve(request)
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            match self.inner.turn(request).await {
                Ok(answer) if self.masks.0.is_empty() => Ok(answer),
                Ok(answer) => self.masks.answer(answer),
                Err(error) => Err(ModelError { message: self.masks.text(error.message), ..error }),
            }
        })
    }
}

/// A text without the parts of a key that a limit left of it: at the end, at the beginning, and on both sides of a note
/// that something was left out.
fn without_parts(text: String, key: &str) -> String {
    let is_cut = text.contains(LEFT_OUT);
    if text.len() < CUT_MIN && !is_cut {
        return text;
    }
    let Some((head, tail)) = text.split_once(LEFT_OUT).filter(|_| is_cut) else {
        return without_head(&without_tail(&text, key), key);
    };
    let (before, note) = head.rsplit_once('[').unwrap_or((head, ""));
    let before = without_tail(before.trim_end_matches('\n'), key);
    format!("{before}\n[{note}{LEFT_OUT}\n{}", without_head(tail.trim_start_matches('\n'), key))
}

/// A text that does not end with the beginning of a key.
fn without_tail(text: &str, key: &str) -> String {
    let parts = (PART_MIN..key.len()).rev().filter_map(|end| key.get(..end));
    let part = parts.into_iter().find_map(|part| text.strip_suffix(part));
    part.map_or_else(|| text.to_owned(), |rest| format!("{rest}{HIDDEN}"))
}

/// A text that does not begin with the end of a key.
fn without_head(text: &str, key: &str) -> String {
    let parts = (1..=key.len().saturating_sub(PART_MIN)).filter_map(|begin| key.get(begin..));
    let part = parts.into_iter().find_map(|part| text.strip_prefix(part));
    part.map_or_else(|| text.to_owned(), |rest| format!("{HIDDEN}{rest}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A limit that cuts a key leaves no part of it; a short text that only looks like a part stays.
    #[test]
    fn parts_of_a_key_are_hidden_where_a_text_was_cut() {
        let masks = Masks(Arc::new(vec![Secret::new("sk-12345678-more".to_owned()).unwrap()]));
        let text = |text: &str| masks.text(text.to_owned());
        for part in ["sk-1", "sk-1234567", "sk-12345678-mor"] {
            let cut = text(&format!("out {part}\n[99 bytes left out]\nrest"));
            assert_eq!(cut, "out [redacted]\n[99 bytes left out]\nrest", "{part}");
            let long = format!("{}{part}", "z".repeat(300));
            assert!(text(&long).ends_with("z[redacted]"), "{part}");
            assert_eq!(text(part), part, "a short text is not cut");
        }
        assert_eq!(text("a\n[9 bytes left out]\n78-more b"), "a\n[9 bytes left out]\n[redacted] b");
        assert_eq!(
            text("sk-1 here\n[9 bytes left out]\nmore b"),
            "sk-1 here\n[9 bytes left out]\n[redacted] b"
        );
    }

    #[test]
    fn a_key_is_hidden_in_texts_and_names_and_the_longer_one_first() {
        let key = |text: &str| Secret::new(text.to_owned()).unwrap();
        let masks = Masks(Arc::new(vec![key("sk-12345678-more"), key("sk-12345678")]));
        let said = json!({ "sk-12345678": ["a sk-12345678-more b", 1], "other": "sk-1234" });
        let hidden = json!({ "[redacted]": ["a [redacted] b", 1], "other": "sk-1234" });
        assert_eq!(masks.value(said.clone()), hidden);
        assert_eq!(Masks::default().value(said.clone()), said);
    }
}
