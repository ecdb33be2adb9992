//! What was lost and repaired on the way to the provider, within a bound.

use provost_contract::json::Object;
use provost_contract::provider::{Change, Loss, Mend};
use serde::Serialize;
use serde_json::{Value, json};

/// How many losses or repairs are listed one by one.
const LISTED_MAX: usize = 8;

/// Every turn sends the whole transcript, so the same losses and repairs come again, and only the first are listed.
pub(super) fn of_request<'a>(
    losses: impl Iterator<Item = &'a Loss>,
    repairs: impl Iterator<Item = &'a Change>,
) -> Object {
    // That results stand behind all calls of a turn is usual.
    let repairs = repairs.filter(|change| change.mend != Mend::MovedResult);
    let listed = [("losses", first(losses)), ("repairs", first(repairs))];
    listed.into_iter().filter_map(|(key, listed)| Some((key.to_owned(), listed?))).collect()
}

fn first<T: Serialize>(mut all: impl Iterator<Item = T>) -> Option<Value> {
    let first: Vec<T> = all.by_ref().take(LISTED_MAX).collect();
    let count = first.len() + all.count();
    (count > 0).then(|| json!({ "count": count, "first": first }))
}
