//! Secret arguments of calls that wait. They are written nowhere, so that a call that parks has them for as
//! long as this process lives, and no longer.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::decide::RawCall;

/// How many calls are kept; the oldest give way.
const KEPT_MAX: usize = 256;

/// Calls by their keys, oldest first.
#[derive(Default)]
pub(super) struct Secrets(Mutex<VecDeque<(String, RawCall)>>);

impl Secrets {
    pub(super) fn keep(&self, key: String, call: RawCall) {
        let mut kept = self.kept();
        if kept.len() >= KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back((key, call));
    }

    pub(super) fn find(&self, key: &str) -> Option<RawCall> {
        self.kept().iter().find(|(known, _)| known == key).map(|(_, call)| call.clone())
    }

    /// Forgets the calls of a run.
    pub(super) fn forget(&self, run: &str) {
        let is_of_run = |key: &str| key.strip_prefix(run).is_some_and(|rest| rest.starts_with('/'));
        self.kept().retain(|(key, _)| !is_of_run(key));
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(String, RawCall)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use provost_contract::json::{self, Object};
    use serde_json::json;

    use super::*;

    fn call(pin: usize) -> RawCall {
        let raw = json::into_object(json!({ "parameters": { "pin": pin } }));
        RawCall { raw, context: Arc::new(Object::new()), prepared: None }
    }

    fn pin(secrets: &Secrets, key: &str) -> Option<u64> {
        secrets.find(key).and_then(|call| call.parameters().get("pin")?.as_u64())
    }

    #[test]
    fn a_run_that_is_over_leaves_nothing_and_others_stay() {
        let secrets = Secrets::default();
        secrets.keep("run_1/1/a".to_owned(), call(1));
        secrets.keep("run_10/1/a".to_owned(), call(10));
        secrets.forget("run_1");
        assert_eq!((pin(&secrets, "run_1/1/a"), pin(&secrets, "run_10/1/a")), (None, Some(10)));
    }

    #[test]
    fn only_so_many_are_kept() {
        let secrets = Secrets::default();
        for number in 0..=KEPT_MAX {
            secrets.keep(format!("run_{number}/1/a"), call(number));
        }
        assert_eq!((pin(&secrets, "run_0/1/a"), pin(&secrets, "run_1/1/a")), (None, Some(1)));
    }
}
