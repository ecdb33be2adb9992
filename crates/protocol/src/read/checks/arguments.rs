//! Checks arguments against the schema of their tool, as far as they are known. Nothing is converted.

use provost_contract::action::KnownInput;
use provost_contract::json::Object;
use serde_json::Value;

use crate::read::notes::{Fault, Notes, Spot};
use crate::{Code, Entry};

/// Checks the arguments, possibly missing, at `base` in the declaration. What only a reference decides is
/// checked when the references are resolved.
pub(crate) fn check_arguments(entry: &Entry, arguments: Option<&Value>, base: &str, notes: &mut Notes) {
    let Some(schema) = &entry.input_schema else { return };
    let none = Value::Object(Object::new());
    let given = arguments.unwrap_or(&none);
    let faults = match given.as_object().and_then(KnownInput::of) {
        Some(known) => schema.faults_of_known(&known),
        None => schema.faults(given),
    };
    for fault in faults {
        let field = fault.pointer.trim_start_matches('/').replace('/', ".");
        let colon = if field.is_empty() { "" } else { ": " };
        let message = format!("{}: {field}{colon}{}", entry.name, fault.message);
        let spot = Spot::Pointer(format!("{base}{}", fault.pointer));
        notes.fault(Fault::new(Code::InvalidArguments, spot, message).hint(format!(
            "{} takes {}",
            entry.name,
            schema.signature()
        )));
    }
}
