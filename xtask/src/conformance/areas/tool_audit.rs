//! Area `tool-audit`.

use provost_contract::canonical;
use provost_contract::tool::{AuditedCall, ParameterRules, RedactedParameters, result_hash, result_summary};
use serde_json::{Value, json};

use super::{Answer, input, object, text, tool_mediation, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "canonical_hash" => {
            let value = input(case, "value");
            Ok(json!({ "canonical": canonical::canonical(value), "sha256": canonical::hash(value) }))
        }
        "result_summary" => {
            let summary = result_summary(&object(case, "result"));
            let sha256 = canonical::hash(&summary);
            Ok(json!({ "summary": summary, "sha256": sha256 }))
        }
        "audit_event" => Ok(audit_event(case)),
        "audit_of_turn" => audit_of_turn(case),
        _ => unknown_operation(op),
    }
}

/// The audit records of one turn of a whole run.
fn audit_of_turn(case: &Value) -> Answer {
    let mut turn = case.clone();
    if let Some(turn) = turn.as_object_mut() {
        turn.insert("turn_result".into(), json!({ "tool_calls": input(case, "tool_calls") }));
    }
    let answer = tool_mediation::run("mediate", &turn)?;
    Ok(input(&answer, "tool_audit_events").clone())
}

fn audit_event(case: &Value) -> Value {
    let declaration = input(case, "declaration");
    let host = input(case, "host_redaction").get("returns").and_then(Value::as_object);
    let parameters = match host {
        Some(replaced) => RedactedParameters::replaced_by_host(replaced.clone()),
        None => ParameterRules::read(&object(case, "declaration")).redact(&object(case, "parameters")),
    };
    let result = object(case, "result");
    AuditedCall {
        tool_name: text(case, "tool_name"),
        tool_call_id: text(case, "tool_call_id"),
        tool_source: text(declaration, "source"),
        turn: input(case, "turn").as_u64().unwrap_or_default(),
        parameters_sha256: &parameters.sha256(),
        result: &result,
        result_sha256: &result_hash(&result),
    }
    .to_event()
}
