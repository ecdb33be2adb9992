//! Executors at work for a run.

use std::sync::{Mutex, PoisonError};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;

use crate::port::{Boxed, ExecutorError};

/// A call, by its place among those of the turn, and what its executor replied.
pub(super) type Done = (usize, Result<Value, ExecutorError>);

/// The calls somebody carries out right now. They make progress while the next of them is awaited.
#[derive(Default)]
pub(super) struct InFlight<'a> {
    places: Vec<usize>,
    /// None before the first. Never locked: the mutex only tells the compiler that nobody polls through a shared reference.
    executions: Mutex<Option<FuturesUnordered<Boxed<'a, Done>>>>,
}

impl<'a> InFlight<'a> {
    pub(super) fn holds(&self, place: usize) -> bool {
        self.places.contains(&place)
    }

    pub(super) fn add(&mut self, place: usize, execution: Boxed<'a, Done>) {
        self.places.push(place);
        self.executions().get_or_insert_default().push(execution);
    }

    /// The next reply.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(super) async fn next(&mut self) -> Option<Done> {
        let done = self.executions().as_mut()?.next().await?;
        self.places.retain(|place| *place != done.0);
        Some(done)
    }

    /// Drops every execution, which stops it.
    pub(super) fn stop_all(&mut self) {
        self.places.clear();
        *self.executions() = None;
    }

    fn executions(&mut self) -> &mut Option<FuturesUnordered<Boxed<'a, Done>>> {
        self.executions.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
