//! Why a tool did not do what it was asked.

use std::error::Error;

use serde_json::{Value, json};

/// A tool's no: a code for machines, a sentence for the model, which reads it and tries otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    /// A refusal of its own.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Reads an error whose variants are the codes. The causes are told too: a model sees no chain.
    pub(crate) fn of<E: Error>(error: &E) -> Self
    where
        for<'a> &'a E: Into<&'static str>,
    {
        let causes = std::iter::successors(error.source(), |&cause| cause.source());
        let message = causes.fold(error.to_string(), |told, cause| format!("{told}: {cause}"));
        Self { code: error.into(), message }
    }

    /// The machine code.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The form executors reply in.
    pub(crate) fn into_value(self) -> Value {
        json!({ "success": false, "error": self.message, "metadata": { "error_type": self.code } })
    }
}
