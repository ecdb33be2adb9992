//! A payload kept as the bytes it is stored as.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::Event;

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

impl<T> std::fmt::Debug for Kept<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        String::from_utf8_lossy(&self.body).fmt(formatter)
    }
}
