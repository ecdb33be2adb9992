//! The actions of a declaration between parsing and acceptance.

use std::collections::HashSet;

use provost_contract::Action;
use provost_contract::action::ActionId;

use super::Envelope;
use super::call::complete_task;
use crate::read::checks::{References, check_conflicts, check_graph, unknown_dependency};
use crate::read::notes::{Fault, Notes, Spot};
use crate::read::text::Document;
use crate::{Code, Turn};

/// The two forms of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `{kind, message, calls}`.
    Flat,
    /// An envelope with a payload.
    Full,
}

/// A parsed action, before it is checked against the others.
#[derive(Debug)]
pub(crate) struct Drafted {
    pub(crate) action: Action,
    /// Its position in the declaration.
    pub(crate) at: String,
    pub(crate) form: Form,
    pub(crate) prompt_ref: Option<String>,
    pub(crate) context_refs: Vec<String>,
    /// Whether it has a `for_each`, valid or not.
    pub(crate) has_items: bool,
}

impl Drafted {
    pub(crate) fn new(action: Action, at: String, form: Form) -> Self {
        Self { action, at, form, prompt_ref: None, context_refs: Vec::new(), has_items: false }
    }

    /// The position of its dependencies.
    pub(crate) fn depends_at(&self) -> String {
        depends_at(&self.at, self.form)
    }

    /// The position of its input.
    pub(crate) fn input_at(&self) -> String {
        match self.form {
            Form::Flat => format!("{}/args", self.at),
            Form::Full => format!("{}/input", self.at),
        }
    }
}

pub(super) fn depends_at(at: &str, form: Form) -> String {
    match form {
        Form::Flat => format!("{at}/depends"),
        Form::Full => format!("{at}/depends_on"),
    }
}

/// Parses the ids of dependencies. An invalid id cannot name an existing action.
pub(super) fn read_dependencies(
    whose: &ActionId,
    names: &[String],
    spot: &Spot,
    notes: &mut Notes,
) -> Vec<ActionId> {
    let mut ids = Vec::with_capacity(names.len());
    for name in names {
        match ActionId::parse(name) {
            Ok(id) => ids.push(id),
            Err(_) => {
                notes.fault(unknown_dependency(whose.as_str(), name, spot.clone(), std::iter::empty));
            }
        }
    }
    ids
}

/// Returns whether there are too many actions; then none of them is parsed.
pub(super) fn too_many(count: usize, at: &str, turn: &Turn<'_>, notes: &mut Notes) -> bool {
    let most = turn.limits.actions_max;
    if count > most {
        let message = format!("{count} actions are declared; at most {most} may be declared at once");
        notes.fault(Fault::new(Code::LimitExceeded, Spot::Pointer(at.to_owned()), message));
    }
    count > most
}

/// Checks the actions against each other and expands their references; returns `None` on any fault.
///
/// `broken` are the ids of actions that could not be parsed.
pub(crate) fn finish(
    mut drafted: Vec<Drafted>,
    broken: &HashSet<String>,
    envelope: Option<&Envelope>,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Vec<Action>> {
    let graph = check_graph(&drafted, broken, turn, notes)?;
    References::new(document, turn).resolve(&mut drafted, &graph, turn, notes);
    check_conflicts(&drafted, &graph, envelope, turn, notes);
    drafted
        .iter_mut()
        .filter(|draft| draft.form == Form::Flat)
        .for_each(|draft| complete_task(&mut draft.action));
    notes.faults.is_empty().then(|| drafted.into_iter().map(|draft| draft.action).collect())
}
