//! What references stand for: results of the same run out of its state, and stored results of other runs.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use provost_contract::action::{
    ActionPart, InputRef, InputSource, Reference, Unresolved, input_slots, resolve_input,
};
use provost_contract::json::Object;
use provost_contract::policies::{Audience, OutcomePart};
use provost_engine::event::{ActionEnd, ActionSpec, ExecutorKind};
use provost_engine::state::Action;
use provost_engine::view::value_of;
use provost_engine::{ActionId, Fault, Payload, RunId, RunState};
use serde_json::Value;

use super::address::Address;
use super::artifacts::whole;
use super::load::Agents;
use crate::store::Store;

/// How many bytes of JSON the arguments of an action may have once its references have values.
const RESOLVED_BYTES_MAX: usize = 1 << 20;

/// One source that an operation of the runtime works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The reference.
    pub reference: String,
    /// The name of its action, or the reference itself.
    pub name: String,
    /// Its value, or why it has none, as the end of a sentence.
    pub value: Result<Value, String>,
}

/// What a reference stands for, as far as the state of the run says.
#[derive(Clone, Debug)]
pub(super) enum Found {
    Value(Value),
    Output(Tree),
    Summary(Tree),
    Address(String),
    Nothing(String),
}

/// The output of an action: its own, or the list of its parts'.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    One(Payload),
    Parts(Vec<Tree>),
}

impl Tree {
    fn of(state: &RunState, action: &Action) -> Self {
        if action.spec.each.is_some() {
            return Self::Parts(state.parts(action.spec.id).map(|part| Self::of(state, part)).collect());
        }
        Self::One(action.end.as_ref().map(|end| end.result.clone()).unwrap_or_default())
    }

    async fn read(&self, store: &dyn Store) -> Result<Value, String> {
        match self {
            Self::One(payload) => {
                let whole =
                    whole(store, payload).await.map_err(|fault| format!("cannot be read: {fault}"))?;
                Ok(value_of(whole.shown()))
            }
            Self::Parts(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(Box::pin(part.read(store)).await?);
                }
                Ok(values.into())
            }
        }
    }

    /// The words of an executor or a tool about what came of it; without any, the output.
    async fn summary(&self, store: &dyn Store) -> Result<Value, String> {
        if let Self::One(payload) = self {
            let shown = payload.shown();
            let native =
                shown.pointer("/metadata/summary").and_then(Value::as_str).filter(|text| *text != "done");
            let value = self.read(store).await?;
            let own = value.get("summary").and_then(Value::as_str);
            return Ok(own.or(native).map_or_else(|| value.clone(), Value::from));
        }
        self.read(store).await
    }
}

/// Looks a reference of an action up in the state of its run.
pub(super) fn find(state: &RunState, action: &Action, reference: &Reference) -> Found {
    let of = |label: &str, part: ActionPart| match dependency(state, action, label) {
        None => Found::Nothing("names no action that this one depends on".to_owned()),
        Some(other) if !is_completed(other) => {
            Found::Nothing(format!("has no value: {label} ended without one"))
        }
        Some(other) if part == ActionPart::Summary => Found::Summary(Tree::of(state, other)),
        Some(other) => Found::Output(Tree::of(state, other)),
    };
    match reference {
        Reference::Action { id, part } => of(id.as_str(), *part),
        Reference::Artifact(name) => of(name, ActionPart::Output),
        Reference::UserGoal => match goal(state) {
            Some(goal) => Found::Value(goal.into()),
            None => Found::Nothing("has no value: the run was given no goal".to_owned()),
        },
        Reference::Runtime(_) | Reference::StoredArtifact(_) => Found::Address(reference.to_string()),
        Reference::Section(_) => Found::Nothing("is a section of another message".to_owned()),
    }
}

/// The words that began the run.
fn goal(state: &RunState) -> Option<String> {
    let mut said = state.spec.input.iter().filter(|message| message.role() == "user");
    said.find_map(|message| message.content.as_text().map(str::to_owned))
}

/// The completed action, or one that a policy keeps apart, that a label means for an action: the nearest one that it
/// depends on, directly or through others. A report or an operation without dependencies means the newest one.
fn dependency<'a>(state: &'a RunState, action: &'a Action, label: &str) -> Option<&'a Action> {
    let (mut open, mut seen): (VecDeque<ActionId>, BTreeSet<ActionId>) =
        (action.spec.depends_on.iter().copied().collect(), BTreeSet::new());
    while let Some(id) = open.pop_front() {
        if !seen.insert(id) {
            continue;
        }
        let Some(other) = state.action(id) else { continue };
        if other.spec.label == label {
            return Some(other);
        }
        open.extend(&other.spec.depends_on);
    }
    let is_free = action.executor() == ExecutorKind::Runtime && action.spec.depends_on.is_empty();
    let mut earlier = state.actions.values().rev().map(|other| &**other);
    earlier.find(|other| {
        is_free && other.spec.label == label && other.spec.under.is_none() && is_completed(other)
    })
}

fn is_completed(action: &Action) -> bool {
    action.end.as_ref().is_some_and(|end| end.status == ActionEnd::Completed)
}

/// Where values are read, and for whom.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) agents: &'a dyn Agents,
    pub(super) run: &'a RunId,
    pub(super) workspace: &'a str,
}

impl Reader<'_> {
    pub(super) async fn read(self, found: &Found) -> Result<Value, String> {
        match found {
            Found::Value(value) => Ok(value.clone()),
            Found::Output(tree) => tree.read(self.store).await,
            Found::Summary(tree) => tree.summary(self.store).await,
            Found::Nothing(why) => Err(why.clone()),
            Found::Address(text) => {
                let address = Address::parse(text).map_err(|_| "is no address of a result".to_owned())?;
                let read = address.read(self.store, self.agents, (self.run, self.workspace)).await;
                read.map_err(|error| error.to_string().replacen(text, "", 1).trim().to_owned())
            }
        }
    }
}

/// The references of an action that has to be resolved, looked up in the state.
pub(super) struct Lookup {
    input: Object,
    list: Option<(InputRef, u32)>,
    found: Vec<(InputSource, Found)>,
}

impl Lookup {
    pub(super) fn of(state: &RunState, action: &Action, raw: &Object) -> Self {
        let list =
            action.spec.each.as_ref().and_then(|each| Some((InputRef::parse(&each.list).ok()?, each.max)));
        let slots = input_slots(raw).into_iter().filter_map(|slot| slot.reference.ok());
        let wanted = slots.chain(list.iter().map(|(list, _)| list.clone()));
        let mut found: Vec<(InputSource, Found)> = Vec::new();
        for InputRef { reference, .. } in wanted {
            if let InputSource::Reference(named) = &reference
                && !found.iter().any(|(known, _)| *known == reference)
            {
                let value = find(state, action, named);
                found.push((reference, value));
            }
        }
        Self { input: raw.clone(), list, found }
    }

    /// Returns the arguments with their values; of a fan-out those of each entry.
    pub(super) async fn resolve(self, reader: Reader<'_>) -> Result<(Object, Option<Vec<Object>>), Fault> {
        let mut values: Vec<(InputSource, Result<Value, String>)> = Vec::with_capacity(self.found.len());
        for (source, found) in &self.found {
            values.push((source.clone(), reader.read(found).await));
        }
        let value = |source: &InputSource| -> Result<Cow<'_, Value>, String> {
            let known = values.iter().find(|(known, _)| known == source).map(|(_, value)| value);
            match known {
                Some(Ok(value)) => Ok(Cow::Owned(value.clone())),
                Some(Err(why)) => Err(why.clone()),
                None => Err("names nothing".to_owned()),
            }
        };
        let Some((list, max)) = &self.list else {
            let arguments = resolve_input(&self.input, value).map_err(|error| unresolved(&error))?;
            return Ok((within_size(arguments)?, None));
        };
        let nothing = |why: String| Fault::new("unresolved_input", format!("Not run: {list} {why}."));
        let whole = value(&list.reference).map_err(nothing)?.into_owned();
        let entries = list.select(&whole).and_then(Value::as_array);
        let entries = entries.ok_or_else(|| nothing("is no list".to_owned()))?;
        if entries.len() > *max as usize {
            let sentence =
                format!("Not run: {list} has {} entries; at most {max} may be done.", entries.len());
            return Err(Fault::new("limit_exceeded", sentence));
        }
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let of_entry = |source: &InputSource| match source {
                InputSource::Item => Ok(Cow::Owned(entry.clone())),
                InputSource::Reference(_) => value(source),
            };
            items.push(within_size(
                resolve_input(&self.input, of_entry).map_err(|error| unresolved(&error))?,
            )?);
        }
        Ok((self.input.clone(), Some(items)))
    }
}

fn unresolved(error: &Unresolved) -> Fault {
    let mut fault = Fault::new("unresolved_input", format!("Not run: {} {}.", error.reference, error.why));
    fault.fields.insert("pointer".into(), error.pointer.as_str().into());
    fault
}

fn within_size(arguments: Object) -> Result<Object, Fault> {
    let bytes = serde_json::to_vec(&arguments).map_or(usize::MAX, |text| text.len());
    if bytes <= RESOLVED_BYTES_MAX {
        return Ok(arguments);
    }
    let sentence = format!(
        "Not run: its arguments have {bytes} bytes with their values; at most {RESOLVED_BYTES_MAX} may be passed."
    );
    Err(Fault::new("limit_exceeded", sentence))
}

/// The references that an operation of the runtime works on, looked up in the state.
pub(super) fn sources(state: &RunState, action: &Action, raw: &Object) -> Vec<(String, String, Found)> {
    let spec: &ActionSpec = &action.spec;
    let shown = |reference: &Reference| match reference {
        // What a model may not see of a result, it may not see of what is made of it.
        Reference::Action { id, part } => is_shown(state, action, id.as_str(), *part),
        Reference::Artifact(name) => is_shown(state, action, name, ActionPart::Output),
        _ => true,
    };
    let look_up = |text: &str, expanded: Option<&Value>| {
        let found = match (expanded.and_then(Value::as_str), Reference::parse(text)) {
            (Some(text), _) => Found::Value(text.into()),
            (None, Ok(reference)) if !shown(&reference) => {
                Found::Nothing("is kept with the runtime by a policy".to_owned())
            }
            (None, Ok(reference)) => find(state, action, &reference),
            (None, Err(_)) => Found::Nothing("is no reference".to_owned()),
        };
        (text.to_owned(), name_of(text), found)
    };
    if spec.executor.target == "expand_ref" {
        let text = raw.get("ref").and_then(Value::as_str).unwrap_or_default();
        return vec![look_up(text, None)];
    }
    let sections = spec.context.pointer("/report/sections").and_then(Value::as_array);
    let of_report = sections.into_iter().flatten().filter_map(|section| section.get("refs"));
    let refs = of_report.chain(spec.context.get("refs")).filter_map(Value::as_array).flatten();
    refs.map(|entry| look_up(entry.get("ref").and_then(Value::as_str).unwrap_or_default(), entry.get("text")))
        .collect()
}

/// Whether a model may see a part of what an action came to.
fn is_shown(state: &RunState, action: &Action, label: &str, part: ActionPart) -> bool {
    let part = match part {
        ActionPart::Summary => OutcomePart::Summary,
        ActionPart::Output => OutcomePart::Output,
    };
    dependency(state, action, label).is_none_or(|other| {
        other.policies.data_visibility.shows(Audience::Model) && !other.policies.privacy.requires(&part)
    })
}

/// The name under which a source is merged.
fn name_of(text: &str) -> String {
    match Reference::parse(text) {
        Ok(Reference::Action { id, .. }) => id.to_string(),
        Ok(Reference::Artifact(name) | Reference::Section(name)) => name,
        _ => text.to_owned(),
    }
}
