//! What is found while one message is read, in the order of the checks.

use std::ops::Range;

use provost_contract::ContractError;

use crate::{Code, Violation};

/// More faults than this help nobody.
const FAULTS_MAX: usize = 50;

/// Where a fault is, before it is turned into line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// The message as a whole.
    Whole,
    /// A JSON pointer into the declaration.
    Pointer(String),
    /// A byte of the declaration's JSON text.
    JsonByte(usize),
    /// A byte of the visible text.
    TextByte(usize),
}

impl Spot {
    /// A place below a pointer, by the dotted field path of a contract error.
    pub(crate) fn field(base: &str, field: &str) -> Self {
        let below: String = field.split('.').map(|part| format!("/{part}")).collect();
        Self::Pointer(format!("{base}{below}"))
    }
}

/// One thing wrong.
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

/// The text a declaration was parsed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum JsonText {
    /// None: it came as a value.
    #[default]
    None,
    /// A part of the visible text.
    InMessage(Range<usize>),
    /// A text of its own.
    Alone(String),
}

/// Faults and violations, as they are found.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Where pointers point into.
    pub(crate) json: JsonText,
    /// What stands before every pointer.
    pub(crate) base: String,
    pub(crate) faults: Vec<Fault>,
    pub(crate) violations: Vec<Violation>,
}

impl Notes {
    /// Records a fault. The first ones count; after many the rest is left out.
    pub(crate) fn fault(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    pub(crate) fn violation(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Records a refusal of the contract about the object at `base`.
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

    /// The value, or nothing and a note of why not.
    pub(crate) fn take<T>(&mut self, base: &str, read: provost_contract::Result<T>) -> Option<T> {
        read.map_err(|error| self.refused(base, &error)).ok()
    }
}
