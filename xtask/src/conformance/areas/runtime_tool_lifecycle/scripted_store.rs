//! A real store that can be made to forget, to race and to lack atomic transitions.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::Object;
use provost_runtime::memory::Storage;
use provost_runtime::port::{
    Boxed, ClientToolRecord, ClientToolRequests, ClientToolTransition, CreatedRequest, Fault,
    PendingRequests, Transitions,
};
use serde_json::Value;

use crate::conformance::areas::{input, list, text};

pub(super) struct ScriptedStore {
    inner: Arc<Storage>,
    /// What others write before the next transitions, last first.
    races: Mutex<Vec<Object>>,
    retains: bool,
    transitions: Transitions,
    /// Ids in the order they were first written.
    ids: Mutex<Vec<String>>,
}

impl ScriptedStore {
    pub(super) async fn new(options: &Value) -> Result<Self, Fault> {
        let atomic = input(options, "atomic") != &Value::Bool(false);
        let store = Self {
            inner: Storage::new(),
            races: Mutex::new(
                list(options, "races").iter().rev().filter_map(Value::as_object).cloned().collect(),
            ),
            retains: input(options, "retain_results") != &Value::Bool(false),
            transitions: if atomic { Transitions::Atomic } else { Transitions::Racy },
            ids: Mutex::default(),
        };
        for record in list(options, "records").iter().filter_map(Value::as_object) {
            store.create(ClientToolRecord(record.clone())).await?;
        }
        Ok(store)
    }

    /// Every record by id.
    pub(super) async fn dump(&self) -> Result<Object, Fault> {
        let mut dump = Object::new();
        let ids = locked(&self.ids).clone();
        for id in ids {
            if let Some(record) = ClientToolRequests::get(self.inner.as_ref(), &id).await? {
                dump.insert(id, record.0.into());
            }
        }
        Ok(dump)
    }

    /// Somebody else writes first; says whether anybody did.
    async fn race(&self, request_id: &str) -> Result<bool, Fault> {
        let race = locked(&self.races).pop();
        let Some(patch) = race else { return Ok(false) };
        let status = text(&Value::Object(patch.clone()), "status").to_owned();
        if let Some(mut record) = ClientToolRequests::get(self.inner.as_ref(), request_id).await? {
            record.0.extend(patch);
            if !status.is_empty() {
                self.inner.create(record).await?;
            }
        }
        Ok(true)
    }
}

impl ClientToolRequests for ScriptedStore {
    fn transitions(&self) -> Transitions {
        self.transitions
    }

    fn create(&self, record: ClientToolRecord) -> Boxed<'_, Result<CreatedRequest, Fault>> {
        let mut ids = locked(&self.ids);
        if !ids.iter().any(|id| id == record.request_id()) {
            ids.push(record.request_id().to_owned());
        }
        self.inner.create(record)
    }

    fn get<'a>(&'a self, request_id: &'a str) -> Boxed<'a, Result<Option<ClientToolRecord>, Fault>> {
        ClientToolRequests::get(self.inner.as_ref(), request_id)
    }

    fn transition<'a>(
        &'a self,
        request_id: &'a str,
        transition: ClientToolTransition,
    ) -> Boxed<'a, Result<bool, Fault>> {
        Box::pin(async move {
            if self.race(request_id).await? {
                return Ok(false);
            }
            let transition = if self.retains { transition } else { transition.without_result() };
            self.inner.transition(request_id, transition).await
        })
    }

    fn pending<'a>(&'a self, query: &'a PendingRequests) -> Boxed<'a, Result<Vec<ClientToolRecord>, Fault>> {
        self.inner.pending(query)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
