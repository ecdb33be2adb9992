//! Checks the references inside the input of an action, and expands its sections.

use std::collections::HashSet;

use provost_contract::action::{ActionId, InputRef, InputSlot, InputSource, Reference};
use provost_contract::json::{self, Object};
use serde_json::Value;

use super::check_arguments;
use super::references::{Reach, References};
use crate::Code;
use crate::read::forms::Drafted;
use crate::read::notes::{Fault, Notes, Spot};

const LITERAL_HINT: &str = "a value that only looks like a reference is written {\"$literal\": …}";

/// One action whose input is checked.
pub(super) struct InputCheck<'c, 'a> {
    pub(super) references: &'c mut References<'a>,
    pub(super) draft: &'c Drafted,
    pub(super) reach: &'c Reach<'c>,
    pub(super) notes: &'c mut Notes,
    /// The actions that were checked: an input may name one thousands of times.
    pub(super) checked: HashSet<ActionId>,
}

impl InputCheck<'_, '_> {
    /// Checks the references of the input and of `for_each`; returns the input if a section was expanded.
    pub(super) fn check(mut self, slots: Vec<InputSlot>) -> Option<Object> {
        let draft = self.draft;
        if let Some(for_each) = &draft.action.for_each {
            let spot = Spot::Pointer(format!("{}/for_each/in", draft.at));
            self.source(for_each.list(), spot);
        }
        let base = draft.input_at();
        let mut sections: Vec<(String, String)> = Vec::new();
        for slot in slots {
            let spot = Spot::Pointer(format!("{base}{}", slot.pointer));
            match slot.reference {
                Ok(reference) => {
                    sections.extend(self.source(&reference, spot).map(|text| (slot.pointer, text)));
                }
                Err(error) => {
                    let code = error.code().parse().unwrap_or(Code::InvalidSchema);
                    let message = error.message().trim_start_matches(error.code()).trim_start_matches(": ");
                    self.notes.fault(Fault::new(code, spot, message).hint(LITERAL_HINT));
                }
            }
        }
        if sections.is_empty() { None } else { self.expand(&base, sections) }
    }

    /// Checks one reference; returns the text of a section.
    fn source(&mut self, reference: &InputRef, spot: Spot) -> Option<String> {
        let text = reference.to_string();
        match &reference.reference {
            InputSource::Item if self.draft.has_items => {}
            InputSource::Item => {
                let message =
                    format!("{text} names the item of a for_each, and {} has none", self.draft.action.id);
                let hint = "add for_each {\"in\": …, \"max\": …} to the action (full form only)";
                self.notes.fault(Fault::new(Code::UnresolvedReference, spot, message).hint(hint));
            }
            InputSource::Reference(Reference::Section(name)) => return self.section(name, reference, spot),
            InputSource::Reference(Reference::Action { id, .. }) => self.result_of(id, &text, spot),
            InputSource::Reference(Reference::Artifact(name)) => match ActionId::parse(name) {
                Ok(id) if id.as_str() == name => self.result_of(&id, &text, spot),
                Ok(_) | Err(_) => {
                    let message = format!("{text} names no action of this declaration");
                    self.notes.fault(Fault::new(Code::UnresolvedReference, spot, message).hint(LITERAL_HINT));
                }
            },
            InputSource::Reference(
                Reference::UserGoal | Reference::Runtime(_) | Reference::StoredArtifact(_),
            ) => {}
        }
        None
    }

    fn result_of(&mut self, id: &ActionId, text: &str, spot: Spot) {
        let before = self.notes.faults.len();
        if !self.checked.contains(id) {
            self.reach.check(&self.draft.action.id, id, text, spot, self.notes);
            if self.notes.faults.len() == before {
                self.checked.insert(id.clone());
            }
        }
    }

    fn section(&mut self, name: &str, reference: &InputRef, spot: Spot) -> Option<String> {
        if let Some(pointer) = reference.pointer().filter(|pointer| !pointer.is_empty()) {
            let message = format!("md:{name} is a text, so it has no value at {pointer:?}");
            self.notes.fault(Fault::new(Code::UnresolvedReference, spot, message));
            return None;
        }
        self.references.section(name, spot, self.notes)
    }

    /// Puts the texts of sections into the input, and checks the arguments again now that these are known.
    fn expand(self, base: &str, sections: Vec<(String, String)>) -> Option<Object> {
        let mut input = Value::Object(self.draft.action.input.clone());
        for (pointer, text) in sections {
            if let Some(value) = input.pointer_mut(&pointer) {
                *value = Value::String(text);
            }
        }
        if !input.is_object() {
            let message = "the input must be an object, and a section is a text";
            self.notes.fault(Fault::new(Code::InvalidSchema, Spot::Pointer(base.to_owned()), message));
            return None;
        }
        let executor = &self.draft.action.executor;
        let entry = executor.kind.zip(executor.target.name());
        let entry = entry.and_then(|(kind, name)| self.reach.turn.catalog.find(kind, name));
        if let Some(entry) = entry.filter(|_| self.notes.faults.is_empty()) {
            check_arguments(entry, Some(&input), base, self.notes);
        }
        Some(json::into_object(input))
    }
}
