//! Area `tool-parameters`.

use provost_contract::sensitivity::is_sensitive_name;
use provost_contract::tool::{Bindings, Defaults, ParameterRules};
use serde_json::{Value, json};

use super::{Answer, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let declaration = object(case, "declaration");
    let parameters = object(case, "parameters");
    let rules = ParameterRules::read(&declaration);
    match op {
        "build" => Ok(rules.build(&parameters, &object(case, "context")).into()),
        "normalize_bindings" => Ok(Bindings::parse(&declaration)?.to_value()),
        "normalize_defaults" => Ok(Defaults::parse(&declaration)?.to_value()),
        "validate_required" => Ok(rules.check_required(&parameters).to_value()),
        "model_schema" => Ok(rules.model_schema().into()),
        "redact" => Ok(rules.redact(&parameters).to_value()),
        "sensitive_paths" => Ok(json!(rules.sensitive_paths())),
        "exposure" => Ok(rules.redact(&parameters).exposure()),
        "is_sensitive_key" => Ok(is_sensitive_name(text(case, "key")).into()),
        _ => unknown_operation(op),
    }
}
