//! The findings while one message is parsed, in the order of the checks.

use std::ops::Range;

use provost_contract::ContractError;

use crate::{Code, Violation};

/// The maximum number of reported faults.
const FAULTS_MAX: usize = 50;

/// The position of a fault, before it is converted to line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The message as a whole.
    Whole,
    /// A JSON pointer into the declaration.
    Pointer(String),
    /// A byte offset in the declaration's JSON text.
    JsonByte(usize),
    /// A byte offset in the visible text.
    TextByte(usize),
}

impl Spot {
    /// Returns the position below a pointer for the dotted field path of a contract error.
    pub(crate) fn field(base: &str, field: &str) -> Self {
        let below: String = field.split('.').map(|part| format!("/{part}")).collect();
        Self::Pointer(format!("{base}{below}"))
    }
}

/// A fault.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    pub(crate) spot: Spot,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(code: Code, spot: Spot, message: impl Into<String>) -> Self {
        Self { code, spot, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The text that a declaration was parsed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum JsonText {
    /// None: the declaration was a value.
    #[default]
    None,
    /// A part of the visible text.
    InMessage(Range<usize>),
    /// A separate text.
    Alone(String),
}

/// The faults and violations found so far.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The text that positions refer to.
    pub(crate) json: JsonText,
    /// The prefix of every pointer.
    pub(crate) base: String,
    pub(crate) faults: Vec<Fault>,
    pub(crate) violations: Vec<Violation>,
}

impl Notes {
    /// Records a fault. Faults above the maximum are dropped.
    pub(crate) fn fault(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    pub(crate) fn violation(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Records a contract error about the object at `base`.
    pub(crate) fn refused(&mut self, base: &str, error: &ContractError) {
        let code = error.code().parse().unwrap_or(Code::InvalidSchema);
        let spot = match error.field_paths().first() {
            Some(field) => Spot::field(base, field),
            None => Spot::Pointer(base.to_owned()),
        };
        let message = error.message();
        let message =
            message.strip_prefix(error.code()).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(message);
        self.fault(Fault::new(code, spot, message));
    }

    /// Returns the value, or records the error.
    pub(crate) fn take<T>(&mut self, base: &str, read: provost_contract::Result<T>) -> Option<T> {
        read.map_err(|error| self.refused(base, &error)).ok()
    }
}
