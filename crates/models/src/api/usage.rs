//! What an answer cost in tokens.

use provost_contract::json::Object;
use serde_json::Value;

/// Tokens, as far as the provider reports them. Absent is not zero: they were not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Everything the model read, cached or not.
    pub(crate) prompt: Option<u64>,
    /// Everything it wrote, thinking included.
    pub(crate) completion: Option<u64>,
    /// The provider's own sum.
    pub(crate) total: Option<u64>,
    /// Of what it read: how much came from a cache.
    pub(crate) cache_read: Option<u64>,
    /// Of what it read: how much was put into a cache.
    pub(crate) cache_write: Option<u64>,
    /// Of what it wrote: how much was thinking.
    pub(crate) reasoning: Option<u64>,
}

impl Usage {
    /// The usage of a turn, under the keys every run counts.
    pub(crate) fn to_object(self) -> Object {
        let sum = || Some(self.prompt?.saturating_add(self.completion?));
        let counted = [
            ("prompt_tokens", self.prompt),
            ("completion_tokens", self.completion),
            ("total_tokens", self.total.or_else(sum)),
            ("cache_read_tokens", self.cache_read),
            ("cache_write_tokens", self.cache_write),
            ("reasoning_tokens", self.reasoning),
        ];
        counted.into_iter().filter_map(|(key, count)| Some((key.to_owned(), count?.into()))).collect()
    }
}

/// The count at a place of an answer.
pub(super) fn count(body: &Value, pointer: &str) -> Option<u64> {
    body.pointer(pointer).and_then(Value::as_u64)
}
