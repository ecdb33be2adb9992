//! The answer to a request for JSON.

use provost_contract::json;
use provost_contract::provider_turn::StructuredAnswer;
use provost_contract::structured_output::{StructuredOutputRequest, check};
use serde_json::json;

/// The JSON an answer is, and whether it follows its schema; none when it is no JSON.
pub(super) fn read(wanted: &StructuredOutputRequest, content: &str) -> Option<StructuredAnswer> {
    let parsed = json::parse_text(content.trim()).ok()?;
    let diagnostics = match check(&wanted.schema, &parsed) {
        Ok(()) => json!({ "parser": "json", "valid": true }),
        Err(mismatch) => json!({ "parser": "json", "valid": false, "code": mismatch }),
    };
    Some(StructuredAnswer { parsed, diagnostics: Some(diagnostics) })
}
