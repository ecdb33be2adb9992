//! Area `protocol`.

mod observe;
mod parse;
mod schedule;
mod transcript;

use serde_json::Value;

use super::{Answer, unknown_operation};
use crate::conformance::{compare, compare_page};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "parse" => parse::run(case),
        "schedule" => schedule::run(case),
        "observe" => observe::run(case),
        "transcript" => transcript::run(case),
        _ => unknown_operation(op),
    }
}

/// Pages are judged by what stands in them, everything else by value.
pub(super) fn differences(op: &str, expect: &Value, answer: &Answer) -> Vec<String> {
    match op {
        "observe" | "transcript" => compare_page::page(op, expect, answer),
        _ => compare::subset(op, expect, answer),
    }
}
