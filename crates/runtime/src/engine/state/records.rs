//! What a result record reports about a run, gathered as it happens.

use std::sync::Arc;

use provost_contract::json::Object;
use serde_json::{Number, Value, json};

use super::CallRecord;
use crate::engine::{CallSettled, CallWaits, Kept, StructuredOutput, TurnAnswered};
use crate::segments::Segments;

/// One thing a result record reports. Entries share the payloads of their events.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A call that stands in the transcript, and its result when that came without waiting.
    Called(Arc<CallRecord>, Option<Kept<CallSettled>>),
    /// A call that waits.
    Waits(Arc<CallRecord>, Arc<CallWaits>),
    /// The result of a call that waited.
    Settled(Arc<CallRecord>, Kept<CallSettled>),
    /// A turn whose calls the host carried out itself.
    Managed(u64, Arc<TurnAnswered>),
    /// Something else that happened, `{type, metadata}`.
    Lifecycle(Box<Value>),
}

/// Everything a result record reports beside the transcript.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// What happened, in order.
    pub(in crate::engine) entries: Segments<Entry>,
    /// How many calls have a result.
    pub results: usize,
    /// Tokens and whatever else the provider counts, summed.
    usage: Object,
    /// What the host said about its turns, merged.
    pub metadata: Object,
    /// What the provider said about its newest request.
    pub request_metadata: Object,
    /// What the provider said about itself, turn by turn.
    pub provider_diagnostics: Vec<Value>,
    /// The newest structured answer.
    pub structured_output: Option<Box<StructuredOutput>>,
}

impl Entry {
    /// Where a call stands among all calls; none for what is no call.
    fn place(&self) -> Option<(u64, usize)> {
        match self {
            Self::Called(call, _) | Self::Waits(call, _) | Self::Settled(call, _) => {
                Some((call.turn(), call.place()))
            }
            Self::Managed(turn, _) => Some((*turn, usize::MAX)),
            Self::Lifecycle(_) => None,
        }
    }

    /// The call that has its result here, and the result.
    pub fn settled(&self) -> Option<(&CallRecord, &Kept<CallSettled>)> {
        match self {
            Self::Called(call, settled) => settled.as_ref().map(|settled| (&**call, settled)),
            Self::Settled(call, settled) => Some((call, settled)),
            Self::Waits(..) | Self::Managed(..) | Self::Lifecycle(_) => None,
        }
    }
}

impl Records {
    /// The records of a run of which only the results are known.
    pub(crate) fn of_results(results: Vec<Object>) -> Self {
        let mut records = Self::default();
        let managed = crate::engine::Managed { results, ..Default::default() };
        records.add_turn(0, &Arc::new(TurnAnswered { managed, ..TurnAnswered::default() }));
        records
    }

    /// Adds what happened to a call behind everything else about it and earlier calls, so that calls that
    /// ran at once are reported in the model's order whichever ended first.
    pub(super) fn add(&mut self, entry: Entry) {
        let behind = self.behind(&entry);
        self.entries.insert_before_last(behind.unwrap_or_default(), entry);
    }

    /// How many entries stand behind the place an entry belongs to; none when it follows nothing.
    fn behind(&self, entry: &Entry) -> Option<usize> {
        let place = entry.place();
        let is_before = |known: &Entry| known.place().is_some_and(|known| Some(known) <= place);
        self.entries.iter().rev().position(is_before)
    }

    /// Adds the result of a call: to the entry that it was called, or behind what it waited for.
    pub(super) fn settle(&mut self, call: Arc<CallRecord>, settled: Kept<CallSettled>) {
        let entry = Entry::Settled(call, settled);
        let before = self.behind(&entry).and_then(|behind| self.entries.get_from_end(behind + 1));
        match (before, entry) {
            (Some(Entry::Called(known, result @ None)), Entry::Settled(call, settled))
                if Arc::ptr_eq(known, &call) =>
            {
                *result = Some(settled);
            }
            (_, entry) => self.add(entry),
        }
        self.results += 1;
    }

    pub(super) fn add_turn(&mut self, turn: u64, answered: &Arc<TurnAnswered>) {
        self.add_usage(&answered.usage);
        self.metadata.extend(answered.metadata.clone());
        if let Some(request_metadata) = &answered.request_metadata {
            self.request_metadata.clone_from(request_metadata);
        }
        self.provider_diagnostics.extend(answered.provider_diagnostics.clone());
        if let Some(structured_output) = &answered.structured_output {
            self.structured_output = Some(Box::new(structured_output.clone()));
        }
        if !answered.managed.is_empty() {
            self.results += answered.managed.results.len();
            self.entries.push(Entry::Managed(turn, answered.clone()));
        }
    }

    /// The result of a call the engine carried out.
    pub fn result_of(&self, turn: u64, place: usize) -> Option<Object> {
        let settled = self.entries.iter().rev().filter_map(Entry::settled);
        let mut of_call = settled.filter(|(call, _)| (call.turn(), call.place()) == (turn, place));
        of_call.next().map(|(_, settled)| settled.read().result)
    }

    pub(super) fn lifecycle(&mut self, kind: &str, metadata: Object) {
        self.entries.push(Entry::Lifecycle(Box::new(json!({ "type": kind, "metadata": metadata }))));
    }

    /// Tokens and whatever else the provider counts, summed; tokens nobody counted are none.
    pub fn usage(&self) -> Object {
        let counted = ["prompt_tokens", "completion_tokens", "total_tokens"];
        let mut usage: Object = counted.into_iter().map(|key| (key.to_owned(), 0.into())).collect();
        usage.extend(self.usage.clone());
        usage
    }

    /// Numbers are summed under any key; other values are replaced by the newest.
    pub(super) fn add_usage(&mut self, usage: &Object) {
        for (key, value) in usage {
            let sum = match (self.usage.get(key), value) {
                (Some(Value::Number(known)), Value::Number(more)) => Value::Number(sum(known, more)),
                _ => value.clone(),
            };
            self.usage.insert(key.clone(), sum);
        }
    }
}

fn sum(left: &Number, right: &Number) -> Number {
    let whole = left.as_i64().zip(right.as_i64()).and_then(|(left, right)| left.checked_add(right));
    if let Some(whole) = whole {
        return whole.into();
    }
    let (left, right) = (left.as_f64().unwrap_or_default(), right.as_f64().unwrap_or_default());
    Number::from_f64(left + right).unwrap_or_else(|| 0.into())
}
