//! Values by name, in the order they came.

use std::collections::HashMap;

/// A map that remembers the order of arrival. Nothing is ever taken out.
pub(super) struct Ordered<T> {
    values: Vec<T>,
    places: HashMap<String, usize>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: HashMap::new() }
    }
}

impl<T> Ordered<T> {
    /// Adds a value, or replaces the one of that name in its place.
    pub(super) fn insert(&mut self, name: String, value: T) {
        match self.get_mut(&name) {
            Some(stored) => *stored = value,
            None => {
                self.places.insert(name, self.values.len());
                self.values.push(value);
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&T> {
        self.values.get(*self.places.get(name)?)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.values.get_mut(*self.places.get(name)?)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut()
    }
}
