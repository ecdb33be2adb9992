//! Payloads kept as the bytes they are stored as.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{CallDeclared, Event};

/// The payload of an event, kept for later as its stored bytes, which the journal in memory shares. What a
/// run did long ago is rarely looked at, and as values it would take several times the room.
pub struct Kept<T> {
    body: Arc<[u8]>,
    payload: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Kept<T> {
    /// Keeps the payload of an event whose kind says that it is a `T`.
    pub(in crate::engine) fn of(event: &Event) -> Self {
        Self { body: event.body().clone(), payload: PhantomData }
    }

    /// Reads it.
    #[expect(
        clippy::expect_used,
        reason = "an event's body was written from its payload, or read as it before"
    )]
    pub fn read(&self) -> T {
        serde_json::from_slice(&self.body).expect("the body of an event is its payload")
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self { body: self.body.clone(), payload: PhantomData }
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(&self.body).fmt(formatter)
    }
}

/// A call, kept in the stored bytes of the event that brought it.
#[derive(Clone, Debug)]
pub struct KeptCall {
    body: Arc<[u8]>,
    part: Part,
}

/// Where in its event a call stands.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Among the calls of an answered turn, at this place.
    Turn(u32),
    /// It is the call somebody approved with other arguments.
    Edited,
}

impl KeptCall {
    /// A call of an answered turn.
    pub(in crate::engine) fn of_turn(event: &Event, place: usize) -> Self {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        Self { body: event.body().clone(), part: Part::Turn(place) }
    }

    /// A call with the arguments it was approved with.
    pub(in crate::engine) fn edited(event: &Event) -> Self {
        Self { body: event.body().clone(), part: Part::Edited }
    }

    /// Reads it.
    #[expect(clippy::expect_used, reason = "the event was written with the call, or read with it before")]
    pub fn read(&self) -> CallDeclared {
        let read = match self.part {
            Part::Turn(place) => call_of_turn(&self.body, place),
            Part::Edited => serde_json::from_slice(&self.body).map(|Edited { edited }| edited),
        };
        read.expect("the event of a call has it")
    }
}

#[derive(Deserialize)]
struct Edited {
    edited: CallDeclared,
}

#[derive(Deserialize)]
struct Turn<'a> {
    #[serde(borrow)]
    calls: Vec<&'a RawValue>,
}

/// Reads one call of a turn, and passes over the others.
fn call_of_turn(body: &[u8], place: u32) -> serde_json::Result<CallDeclared> {
    let turn: Turn<'_> = serde_json::from_slice(body)?;
    let call = usize::try_from(place).ok().and_then(|place| turn.calls.get(place));
    serde_json::from_str(call.map_or("", |call| call.get()))
}
