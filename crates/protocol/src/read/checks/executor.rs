//! Checks that the catalog of this turn has an executor for an action.

use provost_contract::action::{ExecutorRef, ExecutorType, Target};

use super::{listed, nearest};
use crate::read::notes::{Fault, Notes, Spot};
use crate::{Catalog, Code, Entry};

/// The positions of the parts of an executor in the declaration.
pub(crate) struct ExecutorSpots {
    pub(crate) target: Spot,
    pub(crate) capabilities: Spot,
}

/// Checks an executor; returns the entry if one was named and exists.
pub(crate) fn check_executor<'a>(
    executor: &ExecutorRef,
    spots: ExecutorSpots,
    catalog: &'a Catalog,
    notes: &mut Notes,
) -> Option<&'a Entry> {
    let kind = executor.kind?;
    match &executor.target {
        Target::Named(name) => {
            let entry = catalog.find(kind, name);
            if entry.is_none() {
                notes.fault(unknown(kind, name, spots.target, catalog));
            }
            entry
        }
        Target::Auto => {
            if let Some(fault) = nobody(kind, &executor.capabilities, spots, catalog) {
                notes.fault(fault);
            }
            None
        }
    }
}

/// No executor of this class has this name.
fn unknown(kind: ExecutorType, name: &str, spot: Spot, catalog: &Catalog) -> Fault {
    let code = match kind {
        ExecutorType::Tool => Code::UnknownTool,
        ExecutorType::Agent => Code::UnknownAgent,
        ExecutorType::Runtime | ExecutorType::Human | ExecutorType::Pipeline | ExecutorType::Service => {
            Code::UnresolvedExecutor
        }
    };
    let class: &'static str = kind.into();
    let names = || catalog.of(kind).map(|entry| entry.name.as_str());
    let mut hint = format!("{class}s of this turn: {}", listed(names()));
    if let Some(meant) = nearest(name, names()) {
        hint = format!("did you mean {meant}? {hint}");
    }
    Fault::new(code, spot, format!("there is no {class} {name:?} in this turn")).hint(hint)
}

/// Checks that the runtime has a candidate to choose.
fn nobody(
    kind: ExecutorType,
    capabilities: &[String],
    spots: ExecutorSpots,
    catalog: &Catalog,
) -> Option<Fault> {
    let class: &'static str = kind.into();
    let offered = || catalog.of(kind).flat_map(|entry| &entry.capabilities).map(String::as_str);
    if kind == ExecutorType::Tool && capabilities.is_empty() {
        let names = listed(catalog.of(kind).map(|entry| entry.name.as_str()));
        return Some(
            Fault::new(
                Code::UnresolvedExecutor,
                spots.target,
                "a tool must be concrete, or named by a capability",
            )
            .hint(format!("tools of this turn: {names}")),
        );
    }
    if catalog.of(kind).next().is_none() {
        return Some(Fault::new(
            Code::UnresolvedExecutor,
            spots.target,
            format!("there is no {class} in this turn to choose from"),
        ));
    }
    let matches =
        capabilities.is_empty() || offered().any(|word| capabilities.iter().any(|wanted| wanted == word));
    if matches {
        return None;
    }
    let mut words: Vec<&str> = offered().collect();
    words.sort_unstable();
    words.dedup();
    Some(
        Fault::new(
            Code::UnresolvedExecutor,
            spots.capabilities,
            format!("no {class} in this turn offers {}", listed(capabilities.iter().map(String::as_str))),
        )
        .hint(format!("capabilities of this turn's {class}s: {}", listed(words.into_iter()))),
    )
}
