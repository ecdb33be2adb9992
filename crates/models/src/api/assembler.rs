//! Putting a streamed answer together.

use serde_json::Value;

use provost_runtime::port::Delta;

/// Called with each piece of a response as it arrives.
pub(crate) type OnDelta<'a> = &'a mut (dyn FnMut(Delta<'_>) + Send);

/// How far a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More must come.
    Open,
    /// The answer is whole; more may come, and the stream may also end.
    Whole,
    /// Nothing more comes.
    Over,
}

/// Puts the events of one stream together to the body the same answer has when it is not streamed.
/// What it does not know it leaves alone: a provider may say new things at any time.
pub(crate) trait Assembler: Send {
    /// Takes the data of one event.
    fn take(&mut self, data: &Value, hear: OnDelta<'_>) -> Progress;

    /// The body.
    fn body(self: Box<Self>) -> Value;
}

/// Appends text to the text under a key.
pub(super) fn append(holder: &mut Value, key: &str, more: &str) {
    match holder.get_mut(key) {
        Some(Value::String(text)) => text.push_str(more),
        Some(_) | None => {
            if let Some(map) = holder.as_object_mut() {
                map.insert(key.to_owned(), more.into());
            }
        }
    }
}

/// Takes over every field that is not null.
pub(super) fn adopt(target: &mut Value, from: Option<&Value>) {
    let (Some(target), Some(from)) = (target.as_object_mut(), from.and_then(Value::as_object)) else {
        return;
    };
    for (key, value) in from.iter().filter(|(_, value)| !value.is_null()) {
        target.insert(key.clone(), value.clone());
    }
}

/// The text under a key; empty when there is none.
pub(super) fn text_at<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The place in a list that an event names; none when it is absurd.
pub(super) fn place_at(value: &Value, key: &str) -> Option<usize> {
    /// No answer has more blocks or calls than this.
    const PLACES_MAX: usize = 4_096;
    let place = value.get(key).and_then(Value::as_u64)?;
    usize::try_from(place).ok().filter(|place| *place < PLACES_MAX)
}
