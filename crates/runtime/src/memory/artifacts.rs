//! Artifacts in RAM.

use std::collections::hash_map::Entry;
use std::ops::Range;

use super::storage::{Storage, at_once};
use crate::port::{Address, Artifacts, Boxed, Fault};

impl Artifacts for Storage {
    fn put(&self, bytes: Vec<u8>) -> Boxed<'_, Result<Address, Fault>> {
        at_once(move || {
            let address = Address::of(&bytes);
            let mut shelf = self.shelf();
            if !shelf.artifacts.contains_key(&address) {
                shelf.reserve(bytes.len(), self.bytes_max)?;
            }
            if let Entry::Vacant(place) = shelf.artifacts.entry(address) {
                place.insert(bytes);
            }
            Ok(address)
        })
    }

    fn get<'a>(&'a self, address: &'a Address) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>> {
        at_once(move || Ok(self.shelf().artifacts.get(address).cloned()))
    }

    fn get_range<'a>(
        &'a self,
        address: &'a Address,
        range: Range<u64>,
    ) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>> {
        at_once(move || {
            let within = |bytes: &Vec<u8>| {
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                bytes.get(place(range.start)..place(range.end)).unwrap_or_default().to_vec()
            };
            Ok(self.shelf().artifacts.get(address).map(within))
        })
    }
}
