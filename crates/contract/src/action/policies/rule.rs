//! What makes a value a policy: it can be read, written, and compared for strictness.

use std::str::FromStr;

use serde::Serialize;
use serde_json::{Value, json};
use strum::VariantArray;

use super::CODE;
use crate::{Result, json as read};

/// A value of which the stricter of two can be told.
///
/// `strictest` is associative, commutative and idempotent, so the order of the layers never matters.
pub trait Policy: Clone + PartialEq {
    /// Reads the wire form; `field` is the path an error names.
    fn read(field: &str, value: &Value) -> Result<Self>;

    /// The wire form.
    fn wire(&self) -> Value;

    /// What holds when two layers say something different.
    #[must_use]
    fn strictest(self, other: Self) -> Self;
}

/// A closed vocabulary whose order is its severity: the greater word is the stricter one.
pub(super) trait Severity:
    Copy + Ord + Serialize + FromStr + VariantArray + Into<&'static str>
{
}

impl<W: Severity> Policy for W {
    fn read(field: &str, value: &Value) -> Result<Self> {
        read::word(CODE, field, value)
    }

    fn wire(&self) -> Value {
        json!(self)
    }

    fn strictest(self, other: Self) -> Self {
        self.max(other)
    }
}
