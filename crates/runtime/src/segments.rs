//! Long lists that grow at their end.

use std::sync::Arc;

/// How many a full segment holds.
const SEGMENT: usize = 16;

/// A list in segments. Growing moves nothing that is already there, and a clone shares every segment until
/// one of the two changes it.
#[derive(Clone, Debug)]
pub(crate) struct Segments<T> {
    segments: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Segments<T> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.segments.iter().flat_map(|segment| segment.iter())
    }

    /// The last one.
    pub(crate) fn last(&self) -> Option<&T> {
        self.iter().next_back()
    }
}

impl<T: Clone> Segments<T> {
    /// Adds one at the end.
    pub(crate) fn push(&mut self, item: T) {
        if self.segments.last().is_none_or(|segment| segment.len() >= SEGMENT) {
            // A short list grows like any other; from its second segment on it is a long one.
            let room = if self.segments.is_empty() { 0 } else { SEGMENT };
            self.segments.push(Arc::new(Vec::with_capacity(room)));
        }
        if let Some(segment) = self.segments.last_mut() {
            Arc::make_mut(segment).push(item);
            self.len += 1;
        }
    }

    /// Puts one at a place, counted from the end: 0 is behind the last. Quick near the end.
    pub(crate) fn insert_before_last(&mut self, count: usize, item: T) {
        debug_assert!(count <= self.len, "there are not so many");
        if count == 0 {
            return self.push(item);
        }
        if let Some((segment, place)) = self.counted_back(count) {
            segment.insert(place, item);
            self.len += 1;
        }
    }

    /// The one that stands at a place, counted from the end: 1 is the last.
    pub(crate) fn get_from_end(&mut self, count: usize) -> Option<&mut T> {
        let (segment, place) = self.counted_back(count)?;
        segment.get_mut(place)
    }

    /// Takes the one out that stands at a place, counted from the end: 1 is the last.
    pub(crate) fn remove_from_end(&mut self, count: usize) {
        if let Some((segment, place)) = self.counted_back(count) {
            segment.remove(place);
            self.len -= 1;
        }
    }

    /// The segment with the last but so many, and where in it that stands.
    fn counted_back(&mut self, mut count: usize) -> Option<(&mut Vec<T>, usize)> {
        for segment in self.segments.iter_mut().rev() {
            match segment.len().checked_sub(count) {
                Some(place) => return Some((Arc::make_mut(segment), place)),
                None => count -= segment.len(),
            }
        }
        None
    }
}

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Self { segments: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Extend<T> for Segments<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Clone> FromIterator<T> for Segments<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut segments = Self::default();
        segments.extend(items);
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same done to a plain list.
    fn both(work: impl Fn(&mut Segments<usize>, &mut Vec<usize>)) {
        for len in [0, 1, 2, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT + 7] {
            let mut plain: Vec<usize> = (0..len).collect();
            let mut segments: Segments<usize> = plain.iter().copied().collect();
            let before = segments.clone();
            work(&mut segments, &mut plain);
            assert!(segments.iter().eq(plain.iter()), "{segments:?} is not {plain:?}");
            assert!(segments.iter().rev().eq(plain.iter().rev()));
            assert_eq!((segments.len(), segments.last()), (plain.len(), plain.last()));
            assert_eq!(segments.is_empty(), plain.is_empty());
            assert!(before.iter().copied().eq(0..len), "a clone stays as it was");
        }
    }

    #[test]
    fn is_the_list_it_stands_for() {
        both(|segments, plain| {
            segments.extend(1_000..1_100);
            plain.extend(1_000..1_100);
        });
        for count in [0, 1, 2, SEGMENT, SEGMENT + 5] {
            both(|segments, plain| {
                if let Some(place) = plain.len().checked_sub(count) {
                    segments.insert_before_last(count, 7);
                    plain.insert(place, 7);
                }
            });
            both(|segments, plain| {
                if let Some(place) = plain.len().checked_sub(count).filter(|_| count > 0) {
                    segments.remove_from_end(count);
                    plain.remove(place);
                }
            });
        }
    }
}
