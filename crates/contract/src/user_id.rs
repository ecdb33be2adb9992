//! Who a person is to the host: a positive number, or nobody.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::{ContractError, Result, loose};

/// A user of the host. Zero is nobody: a visitor, a job, a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct UserId(u64);

impl UserId {
    /// No user at all.
    pub const NOBODY: Self = Self(0);

    /// The user of a number; zero is nobody.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Reads a number or numeric text. What is no number names nobody; a negative one is refused, in the
    /// words of the value that holds the field.
    pub fn parse(value: &Value, code: &'static str, field: &str) -> Result<Self> {
        u64::try_from(loose::integer(value).unwrap_or_default())
            .map(Self)
            .map_err(|_| ContractError::field(code, field, "must be zero or a positive integer"))
    }

    /// The user a number or numeric text names; a negative one names nobody.
    pub fn numeric(value: &Value) -> Option<Self> {
        loose::integer(value).map(|number| Self(number.try_into().unwrap_or_default()))
    }

    /// Whether there is a user.
    pub fn is_somebody(self) -> bool {
        self != Self::NOBODY
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
