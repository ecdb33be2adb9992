//! Resolves the references of a declaration: sections are expanded at once; other references are checked for
//! plausibility.

use std::collections::{HashMap, HashSet};

use provost_contract::action::{ActionId, ContextRef, InputSlot, Prompt, Reference, input_slots};

use super::inputs::InputCheck;
use crate::read::forms::{Drafted, Form};
use crate::read::graph::{Ancestors, Graph};
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::{Document, Lookup, is_self_contained};
use crate::{Code, Turn};

/// Resolves the references of one declaration, within the size limit of expanded sections.
pub(crate) struct References<'a> {
    document: &'a Document<'a>,
    bytes_left: usize,
    known: HashMap<String, Result<String, (Code, String)>>,
}

impl<'a> References<'a> {
    pub(crate) fn new(document: &'a Document<'a>, turn: &Turn<'_>) -> Self {
        Self { document, bytes_left: turn.limits.expanded_bytes_max, known: HashMap::new() }
    }

    /// Expands the prompt, the context and the input of every action.
    pub(crate) fn resolve(
        &mut self,
        drafted: &mut [Drafted],
        graph: &Graph,
        turn: &Turn<'_>,
        notes: &mut Notes,
    ) {
        let mut slots: Vec<Vec<InputSlot>> =
            drafted.iter().map(|draft| input_slots(&draft.action.input)).collect();
        let asks_for_actions = drafted.iter().any(|draft| {
            draft.context_refs.iter().any(|text| text.starts_with("action:"))
                || draft.action.for_each.is_some()
        });
        let asks_for_actions = asks_for_actions || slots.iter().any(|slots| !slots.is_empty());
        let ancestors = asks_for_actions.then(|| graph.ancestors());
        let positions: HashMap<ActionId, usize> =
            drafted.iter().enumerate().map(|(at, draft)| (draft.action.id.clone(), at)).collect();
        for at in 0..drafted.len() {
            let Some(draft) = drafted.get(at) else { continue };
            let reach = Reach { ancestors: ancestors.as_ref(), positions: &positions, at, drafted, turn };
            let spot = Spot::Pointer(format!("{}/prompt_ref", draft.at));
            let prompt = draft.prompt_ref.as_ref().and_then(|text| self.prompt(text, spot, notes));
            let context = self.context(draft, &reach, notes);
            let slots = slots.get_mut(at).map(std::mem::take).unwrap_or_default();
            let input = InputCheck { references: self, draft, reach: &reach, notes, checked: HashSet::new() }
                .check(slots);
            if let Some(draft) = drafted.get_mut(at) {
                draft.action.prompt = prompt.or(draft.action.prompt.take());
                draft.action.context_refs = context;
                if let Some(input) = input {
                    draft.action.input = input;
                }
            }
        }
    }

    /// Returns the text of a `prompt_ref`.
    pub(crate) fn prompt(&mut self, text: &str, spot: Spot, notes: &mut Notes) -> Option<Prompt> {
        let Ok(Reference::Section(name)) = Reference::parse(text) else {
            let message = format!("prompt_ref {text:?} must be md:<section>: a section of this message");
            notes.fault(Fault::new(Code::UnresolvedReference, spot, message));
            return None;
        };
        let section = self.section(&name, spot, notes)?;
        Some(Prompt { text: section, source: Some(Reference::Section(name)) })
    }

    fn context(&mut self, draft: &Drafted, reach: &Reach<'_>, notes: &mut Notes) -> Vec<ContextRef> {
        let mut context = Vec::with_capacity(draft.context_refs.len());
        for (index, text) in draft.context_refs.iter().enumerate() {
            let spot = Spot::Pointer(format!("{}/context_refs/{index}", draft.at));
            let Some(reference) = parsed_reference(text, &spot, notes) else { continue };
            let expanded = match &reference {
                Reference::Section(name) => match self.section(name, spot, notes) {
                    Some(text) => Some(text),
                    None => continue,
                },
                Reference::Action { id, .. } => {
                    reach.check(&draft.action.id, id, text, spot, notes);
                    None
                }
                Reference::UserGoal
                | Reference::Runtime(_)
                | Reference::Artifact(_)
                | Reference::StoredArtifact(_) => None,
            };
            context.push(ContextRef { reference, text: expanded });
        }
        context
    }

    /// Returns the text of a section.
    pub(crate) fn section(&mut self, name: &str, spot: Spot, notes: &mut Notes) -> Option<String> {
        let document = self.document;
        let known = self.known.entry(name.to_owned()).or_insert_with(|| look_up(document, name));
        match known {
            Ok(text) if text.len() > self.bytes_left => {
                let message = "the referenced sections are too long together";
                notes.fault(Fault::new(Code::LimitExceeded, spot, message));
                None
            }
            Ok(text) => {
                self.bytes_left -= text.len();
                Some(text.clone())
            }
            Err((code, message)) => {
                let hint = format!("write a heading `## {}` with its text below it, once", name.trim());
                notes.fault(Fault::new(*code, spot, message.as_str()).hint(hint));
                None
            }
        }
    }
}

/// Parses a reference, or reports why it is invalid.
pub(crate) fn parsed_reference(text: &str, spot: &Spot, notes: &mut Notes) -> Option<Reference> {
    match Reference::parse(text) {
        Ok(reference) => Some(reference),
        Err(error) => {
            let message = error.message().trim_start_matches("unresolved_reference: ");
            notes.fault(Fault::new(Code::UnresolvedReference, spot.clone(), message));
            None
        }
    }
}

fn look_up(document: &Document<'_>, name: &str) -> Result<String, (Code, String)> {
    match document.section(name) {
        Lookup::Missing => {
            Err((Code::UnresolvedReference, format!("md:{name} names no section of this message")))
        }
        Lookup::Several => Err((Code::DuplicateSection, format!("md:{name} names more than one section"))),
        Lookup::Found(text) if text.trim().is_empty() => {
            Err((Code::UnresolvedReference, format!("the section md:{name} is empty")))
        }
        Lookup::Found(text) if !is_self_contained(&text) => Err((
            Code::IncompleteOutput,
            format!("the section md:{name} leaves a code fence or HTML block open"),
        )),
        Lookup::Found(text) => Ok(text),
    }
}

/// The actions whose results an action may refer to.
pub(super) struct Reach<'a> {
    ancestors: Option<&'a Ancestors>,
    positions: &'a HashMap<ActionId, usize>,
    at: usize,
    drafted: &'a [Drafted],
    pub(super) turn: &'a Turn<'a>,
}

impl Reach<'_> {
    /// A result of another action must exist when this action starts.
    pub(super) fn check(
        &self,
        whose: &ActionId,
        other: &ActionId,
        text: &str,
        spot: Spot,
        notes: &mut Notes,
    ) {
        let known = self.positions.get(other);
        let before = match (known, self.ancestors) {
            (Some(other), Some(ancestors)) => ancestors.contain(self.at, *other),
            (Some(_), None) => false,
            (None, _) => self.was_completed_before(other),
        };
        if before {
            return;
        }
        let message = if known.is_some() || self.turn.completed.contains(other.as_str()) {
            format!(
                "{text} can only be read by an action that waits for {other}, and it is no dependency of {whose}"
            )
        } else {
            format!("{text} names no action of this declaration")
        };
        let field = match self.drafted.get(self.at).map(|draft| draft.form) {
            Some(Form::Flat) => "depends",
            Some(Form::Full) | None => "depends_on",
        };
        let hint = format!("add {other} to {field}, or take the reference away");
        notes.fault(Fault::new(Code::UnresolvedReference, spot, message).hint(hint));
    }

    /// A satisfied action of an earlier run is allowed if this action, or one of its dependencies, names it.
    fn was_completed_before(&self, other: &ActionId) -> bool {
        let waits =
            |at: usize| self.drafted.get(at).is_some_and(|draft| draft.action.depends_on.contains(other));
        let behind = |at: &usize| self.ancestors.is_some_and(|ancestors| ancestors.contain(self.at, *at));
        self.turn.completed.contains(other.as_str())
            && (waits(self.at) || (0..self.drafted.len()).any(|at| behind(&at) && waits(at)))
    }
}
