//! Calls written as `<function_calls><invoke name="…"><parameter name="…">…</parameter></invoke></function_calls>`.

use super::super::RequestedCall;
use super::element::{Element, elements};
use crate::json::Object;

/// The calls; an invocation outside the wrapper is only talked about.
pub(super) fn calls(text: &str) -> Vec<RequestedCall> {
    if !text.contains("<function_calls>") {
        return Vec::new();
    }
    let call = |(index, invoke): (usize, &Element<'_>)| {
        RequestedCall::written(invoke.name()?, parameters(invoke), format!("xml-tool-call-{}", index + 1))
    };
    elements(text, "invoke").iter().enumerate().filter_map(call).collect()
}

fn parameters(invoke: &Element<'_>) -> Object {
    let named = |parameter: &Element<'_>| Some((parameter.name()?.to_owned(), parameter.text().into()));
    elements(invoke.body, "parameter").iter().filter_map(named).collect()
}
