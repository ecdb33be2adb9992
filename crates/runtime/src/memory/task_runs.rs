//! Runs of tasks in RAM.

use std::collections::hash_map::Entry;

use provost_contract::task::TaskResult;

use super::storage::{Storage, at_once};
use crate::port::{Boxed, Fault, TaskCancel, TaskRuns};

impl TaskRuns for Storage {
    fn claim(&self, running: TaskResult) -> Boxed<'_, Result<bool, Fault>> {
        at_once(move || match self.tasks().entry(running.run_id().to_owned()) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(place) => {
                place.insert(running);
                Ok(true)
            }
        })
    }

    fn get<'a>(&'a self, run_id: &'a str) -> Boxed<'a, Result<Option<TaskResult>, Fault>> {
        at_once(move || Ok(self.tasks().get(run_id).cloned()))
    }

    fn put(&self, result: TaskResult) -> Boxed<'_, Result<bool, Fault>> {
        at_once(move || match self.tasks().get_mut(result.run_id()) {
            Some(stored) => {
                *stored = result;
                Ok(true)
            }
            None => Ok(false),
        })
    }

    fn cancel<'a>(&'a self, run_id: &'a str, updated_at: &'a str) -> Boxed<'a, Result<TaskCancel, Fault>> {
        at_once(move || Ok(TaskCancel::ask(self.tasks().get_mut(run_id), updated_at)))
    }
}
