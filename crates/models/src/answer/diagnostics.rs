//! What helps to understand an answer, within a bound.

use provost_contract::json::Object;
use provost_contract::provider::Mend;
use serde::Serialize;
use serde_json::{Value, json};

use crate::ask::Ask;

/// How many losses or repairs are told one by one.
const TOLD_MAX: usize = 8;

/// What was lost and mended on the way to the provider: every turn sends the whole transcript, so the
/// same is told again, and only the beginning of it.
pub(super) fn of_request(ask: &Ask) -> Object {
    // That results stand behind all calls of a turn is usual, and nothing to tell of.
    let mends: Vec<_> = ask.repairs.iter().filter(|change| change.mend != Mend::MovedResult).collect();
    let told = [("losses", first(&ask.losses)), ("repairs", first(&mends))];
    told.into_iter().filter_map(|(key, told)| Some((key.to_owned(), told?))).collect()
}

fn first<T: Serialize>(all: &[T]) -> Option<Value> {
    let first: Vec<&T> = all.iter().take(TOLD_MAX).collect();
    (!all.is_empty()).then(|| json!({ "count": all.len(), "first": first }))
}
