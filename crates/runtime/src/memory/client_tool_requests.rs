//! Requests that wait for a client, in RAM, in the order they were stored.

use super::storage::{Storage, at_once};
use crate::port::{
    Boxed, ClientToolRecord, ClientToolRequests, ClientToolTransition, CreatedRequest, Fault, PendingRequests,
};

impl ClientToolRequests for Storage {
    fn create(&self, record: ClientToolRecord) -> Boxed<'_, Result<CreatedRequest, Fault>> {
        at_once(move || {
            let mut requests = self.requests();
            match requests.get(record.request_id()) {
                Some(stored) if !stored.is_pending() => Ok(CreatedRequest::AnsweredBefore(stored.clone())),
                Some(_) | None => {
                    requests.insert(record.request_id().to_owned(), record);
                    Ok(CreatedRequest::Waiting)
                }
            }
        })
    }

    fn get<'a>(&'a self, request_id: &'a str) -> Boxed<'a, Result<Option<ClientToolRecord>, Fault>> {
        at_once(move || Ok(self.requests().get(request_id).cloned()))
    }

    fn transition<'a>(
        &'a self,
        request_id: &'a str,
        transition: ClientToolTransition,
    ) -> Boxed<'a, Result<bool, Fault>> {
        at_once(move || {
            Ok(self.requests().get_mut(request_id).is_some_and(|record| record.advance(&transition)))
        })
    }

    fn pending<'a>(&'a self, query: &'a PendingRequests) -> Boxed<'a, Result<Vec<ClientToolRecord>, Fault>> {
        at_once(move || {
            let requests = self.requests();
            let shown = requests.iter().filter(|record| query.shows(record)).cloned();
            Ok(shown.take(query.limit.unwrap_or(usize::MAX)).collect())
        })
    }
}
