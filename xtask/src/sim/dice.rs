//! Seeded choices.

use fastrand::Rng;

/// Returns whether something happens that happens in so many of a hundred cases.
pub(super) fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}

/// Returns one of several values.
pub(super) fn one<T: Clone>(rng: &mut Rng, first: T, others: &[T]) -> T {
    let place = rng.usize(..=others.len());
    others.get(place).cloned().unwrap_or(first)
}

/// Returns one of several values by weight.
pub(super) fn weighted<T: Clone>(rng: &mut Rng, otherwise: T, choices: &[(u32, T)]) -> T {
    let sum: u32 = choices.iter().map(|(weight, _)| weight).sum();
    let mut place = rng.u32(..sum.max(1));
    for (weight, value) in choices {
        if place < *weight {
            return value.clone();
        }
        place -= weight;
    }
    otherwise
}
