//! Calls written as `<tool_call name="…">{…}</tool_call>`.

use super::super::RequestedCall;
use super::element::elements;
use super::json_block::parameters_in;

/// The calls; a body that is no JSON object gives no parameters.
pub(super) fn calls(text: &str) -> Vec<RequestedCall> {
    let elements = elements(text, "tool_call");
    let named = elements.iter().filter_map(|element| Some((element.name()?, element.body)));
    let call = |(index, (name, body))| {
        RequestedCall::written(name, parameters_in(body), format!("tag-tool-call-{}", index + 1))
    };
    named.enumerate().filter_map(call).collect()
}
