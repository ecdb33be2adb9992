//! Payloads kept as the bytes they are stored as.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
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
#[derive(Clone)]
pub struct KeptCall {
    event: Arc<[u8]>,
    /// Where the call stands in them.
    place: Range<u32>,
}

#[derive(Deserialize)]
struct Turn<'a> {
    #[serde(borrow, default)]
    calls: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Approved<'a> {
    #[serde(borrow, default)]
    edited: Option<&'a RawValue>,
}

impl KeptCall {
    /// The calls of an answered turn.
    pub(in crate::engine) fn of_turn(event: &Event) -> impl ExactSizeIterator<Item = Self> {
        let turn: Option<Turn<'_>> = serde_json::from_slice(event.body()).ok();
        let calls = turn.map(|turn| turn.calls).unwrap_or_default();
        calls.into_iter().map(|call| Self::at(event, call))
    }

    /// A call with the arguments it was approved with; none when they stayed as they were.
    pub(in crate::engine) fn edited(event: &Event) -> Option<Self> {
        let approved: Approved<'_> = serde_json::from_slice(event.body()).ok()?;
        approved.edited.map(|call| Self::at(event, call))
    }

    fn at(event: &Event, call: &RawValue) -> Self {
        let text = call.get();
        let start = text.as_ptr().addr() - event.body().as_ptr().addr();
        // An append is never so large that this does not fit.
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { event: event.body().clone(), place: number(start)..number(start + text.len()) }
    }

    fn bytes(&self) -> &[u8] {
        let Range { start, end } = self.place;
        self.event.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Reads it.
    #[expect(clippy::expect_used, reason = "the event was written with the call, or read with it before")]
    pub fn read(&self) -> CallDeclared {
        serde_json::from_slice(self.bytes()).expect("the event of a call has it")
    }
}

impl fmt::Debug for KeptCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.bytes()).fmt(formatter)
    }
}
