//! What is known of an input before its references are resolved.

use std::convert::Infallible;

use serde_json::Value;

use super::input_walk::{LITERAL, Path, Special, rebuild_object, visit_object};
use crate::json::Object;

/// The part of an input that is known before its references are: what a schema can be checked against.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownInput {
    /// The input with null for every reference and the content of every `$literal`.
    pub value: Value,
    /// Sorted: an input may have tens of thousands of references, and a schema as many faults.
    unknown: Vec<String>,
    literals: Vec<String>,
}

impl KnownInput {
    /// Returns the known part; none if the input has neither a `$ref` nor a `$literal`.
    pub fn of(input: &Object) -> Option<Self> {
        let mut found = false;
        visit_object(input, &mut Path::default(), &mut |_, _| found = true);
        if !found {
            return None;
        }
        let (mut unknown, mut literals) = (Vec::new(), Vec::new());
        let rebuilt: std::result::Result<Value, Infallible> =
            rebuild_object(input, &mut Path::default(), &mut |path, special| {
                Ok(if let Special::Literal(Ok(content)) = special {
                    literals.push(path.pointer());
                    content.clone()
                } else {
                    unknown.push(path.pointer());
                    Value::Null
                })
            });
        let Ok(value) = rebuilt;
        unknown.sort_unstable();
        Some(Self { value, unknown, literals })
    }

    /// The JSON pointers of the values that are not known, sorted.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Whether the value at a pointer into `value` is a reference, or inside one.
    pub fn is_unknown(&self, pointer: &str) -> bool {
        let ends = pointer.match_indices('/').map(|(end, _)| end).chain([pointer.len()]);
        let mut above = ends.filter_map(|end| pointer.get(..end));
        above.any(|above| self.unknown.binary_search_by(|unknown| unknown.as_str().cmp(above)).is_ok())
    }

    /// Whether the value at a pointer into `value` has a reference inside.
    pub fn is_partly_known(&self, pointer: &str) -> bool {
        let start = format!("{pointer}/");
        let first = self.unknown.partition_point(|unknown| *unknown < start);
        self.unknown.get(first).is_some_and(|unknown| unknown.starts_with(&start))
    }

    /// Returns the pointer in the input that a pointer into `value` corresponds to.
    pub fn source_pointer(&self, pointer: &str) -> String {
        let inside = |literal: &String| Some((literal.clone(), below(pointer, literal)?));
        match self.literals.iter().find_map(inside) {
            Some((literal, rest)) => format!("{literal}/{LITERAL}{rest}"),
            None => pointer.to_owned(),
        }
    }
}

/// Returns the rest of a JSON pointer at or below another one.
fn below<'p>(pointer: &'p str, other: &str) -> Option<&'p str> {
    pointer.strip_prefix(other).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
