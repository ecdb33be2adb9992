//! Inboxes in RAM: a vector a run, and a bell for whoever waits.

use std::collections::HashMap;
use std::pin::pin;

use super::storage::{Storage, at_once};
use crate::RunId;
use crate::port::{Boxed, Fault, Inbox, Posted, Signal};

/// The signals of one run, and the places of their ids.
#[derive(Default)]
pub(super) struct Letters {
    posted: Vec<Posted>,
    places: HashMap<String, u64>,
}

impl Letters {
    fn after(&self, place: u64) -> &[Posted] {
        let read = usize::try_from(place).unwrap_or(usize::MAX);
        self.posted.get(read..).unwrap_or_default()
    }

    fn post(&mut self, id: &str, at_ms: i64, by: &str, signal: Signal) -> u64 {
        let place = self.posted.len() as u64 + 1;
        self.posted.push(Posted { place, at_ms, by: by.to_owned(), signal });
        self.places.insert(id.to_owned(), place);
        place
    }
}

impl Storage {
    fn has_letters(&self, run: &RunId, after: u64) -> bool {
        self.letters().get(run).is_some_and(|letters| !letters.after(after).is_empty())
    }
}

impl Inbox for Storage {
    fn post<'a>(
        &'a self,
        run: &'a RunId,
        id: &'a str,
        by: &'a str,
        signal: Signal,
        now_ms: i64,
    ) -> Boxed<'a, Result<u64, Fault>> {
        at_once(move || {
            let mut letters = self.letters();
            if let Some(place) = letters.get(run).and_then(|letters| letters.places.get(id)) {
                return Ok(*place);
            }
            self.shelf().reserve(bytes_of(&signal) + id.len() + by.len(), self.bytes_max)?;
            let place = letters.entry(run.clone()).or_default().post(id, now_ms, by, signal);
            drop(letters);
            self.bell.notify_waiters();
            Ok(place)
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, after: u64, limit: usize) -> Boxed<'a, Result<Vec<Posted>, Fault>> {
        at_once(move || {
            let letters = self.letters();
            let unread = letters.get(run).map_or(&[][..], |letters| letters.after(after));
            Ok(unread.iter().take(limit).cloned().collect())
        })
    }

    fn arrived<'a>(&'a self, run: &'a RunId, after: u64) -> Boxed<'a, Result<(), Fault>> {
        Box::pin(async move {
            loop {
                let mut rung = pin!(self.bell.notified());
                // Listening begins before looking, so that nothing can come in between.
                rung.as_mut().enable();
                if self.has_letters(run, after) {
                    return Ok(());
                }
                rung.await;
            }
        })
    }
}

fn bytes_of(signal: &Signal) -> usize {
    size_of::<Posted>()
        + match signal {
            Signal::Message(message) => message.to_string().len(),
            Signal::Cancel { reason } => reason.len(),
        }
}
