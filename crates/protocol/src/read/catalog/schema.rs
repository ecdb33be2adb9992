//! Checks arguments against a JSON Schema (draft 2020-12). The only file that uses the schema crate.
//!
//! References inside a schema resolve inside that schema alone; nothing is ever fetched. Patterns run
//! under a step limit, so that no argument can make the checker slow.

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use provost_contract::action::KnownInput;
use provost_contract::{ContractError, Result};
use serde_json::Value;

use super::sample;

const CODE: &str = "invalid_tool_schema";
/// The step limit of one pattern on one string.
const PATTERN_STEPS_MAX: usize = 100_000;
/// The maximum number of reported faults.
const FAULTS_MAX: usize = 8;
/// A longer value is not quoted in a message.
const SHOWN_CHARS_MAX: usize = 60;
/// The keywords that look at the keys or the length of a value, or at its type, and never at its members.
const SHALLOW: [&str; 9] = [
    "type",
    "required",
    "additionalProperties",
    "propertyNames",
    "dependentRequired",
    "minProperties",
    "maxProperties",
    "minItems",
    "maxItems",
];

/// A compiled JSON Schema, with its source.
#[derive(Debug)]
pub struct ArgumentSchema {
    raw: Value,
    validator: Validator,
}

/// A mismatch between arguments and schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentFault {
    /// Where, as a JSON pointer into the arguments.
    pub pointer: String,
    /// What was expected.
    pub message: String,
}

/// Returns the position and the expectation; a fault of the whole value has no position.
impl std::fmt::Display for ArgumentFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

impl ArgumentSchema {
    /// Compiles a schema once for all checks of a turn.
    pub fn compile(raw: &Value) -> Result<Self> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS_MAX);
        let built = jsonschema::options()
            .offline()
            .with_pattern_options(patterns)
            .with_draft(draft_of(raw))
            .build(raw);
        match built {
            Ok(validator) => Ok(Self { raw: raw.clone(), validator }),
            Err(error) => {
                Err(ContractError::field(CODE, "input_schema", &format!("does not compile: {error}")))
            }
        }
    }

    /// Returns the source of the schema.
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// Returns the signature, in one line for a model.
    pub fn signature(&self) -> String {
        sample::signature(&self.raw)
    }

    /// Returns minimal arguments that match, or `None` if they cannot be guessed.
    pub fn example(&self) -> Option<Value> {
        let guess = sample::sample(&self.raw, "value", 0);
        (guess.is_object() && self.validator.is_valid(&guess)).then_some(guess)
    }

    /// Returns whether a property accepts a number or a boolean and no string.
    pub(crate) fn wants_scalar(&self, property: &str) -> bool {
        sample::wants_scalar(&self.raw, property)
    }

    /// Returns the mismatches; empty if the arguments match.
    pub fn faults(&self, arguments: &Value) -> Vec<ArgumentFault> {
        if self.validator.is_valid(arguments) {
            return Vec::new();
        }
        self.validator.iter_errors(arguments).take(FAULTS_MAX).map(|error| fault(&error)).collect()
    }

    /// Returns the mismatches that remain whatever the references of an input stand for. The arguments must
    /// be checked with [`ArgumentSchema::faults`] once they are resolved. Pointers are those of the input.
    pub fn faults_of_known(&self, known: &KnownInput) -> Vec<ArgumentFault> {
        let certain = self.validator.iter_errors(&known.value).filter(|error| is_certain(error, known));
        let in_input = |error: ValidationError<'_>| {
            let fault = fault(&error);
            ArgumentFault { pointer: known.source_pointer(&fault.pointer), ..fault }
        };
        certain.take(FAULTS_MAX).map(in_input).collect()
    }
}

fn fault(error: &ValidationError<'_>) -> ArgumentFault {
    let shown = is_short(error.instance());
    let message = if shown { error.to_string() } else { error.masked().to_string() };
    ArgumentFault { pointer: error.instance_path().to_string(), message }
}

/// Whether no value of the references could remove a mismatch.
fn is_certain(error: &ValidationError<'_>, known: &KnownInput) -> bool {
    let pointer = error.instance_path().to_string();
    if known.is_unknown(&pointer) {
        return false;
    }
    // Which branch of an `if` applies may depend on a reference anywhere below the place of the `if`.
    let path = error.evaluation_path().to_string();
    if path.split('/').any(|step| matches!(step, "then" | "else")) && !known.unknown().is_empty() {
        return false;
    }
    !known.is_partly_known(&pointer) || SHALLOW.contains(&error.kind().keyword())
}

/// Returns the draft that a schema names; the default is 2020-12.
fn draft_of(raw: &Value) -> Draft {
    let named = Draft::default().detect(raw);
    if named == Draft::Unknown { Draft::Draft202012 } else { named }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.chars().nth(SHOWN_CHARS_MAX).is_none(),
        Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_name_the_place_and_what_was_expected() {
        let schema = ArgumentSchema::compile(&json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } },
            "required": ["path"],
            "additionalProperties": false,
        }))
        .unwrap();
        let told: Vec<String> = schema
            .faults(&json!({ "count": 0, "encoding": "utf8" }))
            .into_iter()
            .map(|fault| format!("{}: {}", fault.pointer, fault.message))
            .collect();
        assert_eq!(
            told,
            [
                "/count: 0 is less than the minimum of 1",
                ": Additional properties are not allowed ('encoding' was unexpected)",
                ": \"path\" is a required property",
            ]
        );
        assert_eq!(schema.faults(&json!({ "path": "a" })), []);
    }

    #[test]
    fn a_long_value_is_not_repeated() {
        let schema =
            ArgumentSchema::compile(&json!({ "properties": { "a": { "type": "integer" } } })).unwrap();
        let faults = schema.faults(&json!({ "a": "x".repeat(100_000) }));
        assert!(faults.iter().all(|fault| fault.message.len() < 100), "{faults:?}");
    }

    #[test]
    fn references_resolve_inside_the_schema_and_nowhere_else() {
        let inside = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object" } } });
        assert!(ArgumentSchema::compile(&inside).is_ok());
        for outside in ["https://example.com/a.json", "file:///etc/passwd", "other.json"] {
            let error = ArgumentSchema::compile(&json!({ "$ref": outside })).unwrap_err();
            assert_eq!(error.code(), "invalid_tool_schema", "{outside}");
        }
    }

    #[test]
    fn a_reference_hides_the_faults_it_may_cause_and_no_others() {
        let schema = ArgumentSchema::compile(&json!({
            "type": "object",
            "properties": {
                "path": { "type": "string" },
                "mode": { "enum": ["text", "bytes"] },
                "lines": { "type": "array", "items": { "type": "integer" }, "uniqueItems": true, "maxItems": 2 },
                "only": { "anyOf": [{ "type": "object", "required": ["x"] }, { "type": "boolean" }] },
            },
            "required": ["path"],
            "additionalProperties": false,
            "if": { "properties": { "mode": { "const": "bytes" } }, "required": ["mode"] },
            "then": { "required": ["lines"] },
        }))
        .unwrap();
        let item = || json!({ "$ref": "item" });
        for (arguments, expected) in [
            (json!({ "path": item() }), vec![]),
            (json!({ "$ref": "item" }), vec![]),
            (json!({ "path": "a", "lines": [item(), item()] }), vec![]),
            (json!({ "path": "a", "only": { "y": item() } }), vec![]),
            (json!({ "path": "a", "mode": item() }), vec![]),
            (json!({ "path": { "$literal": "a" }, "lines": [item()] }), vec![]),
            (json!({ "path": { "$literal": 1 } }), vec!["/path/$literal type"]),
            (json!({ "mode": item() }), vec![" required"]),
            (json!({ "path": item(), "paht": 1 }), vec![" additionalProperties"]),
            (json!({ "path": "a", "paht": item() }), vec![" additionalProperties"]),
            (json!({ "path": item(), "lines": [1.5] }), vec!["/lines/0 type"]),
            (json!({ "path": { "x": item() } }), vec!["/path type"]),
            (json!({ "path": "a", "lines": [1, 2, item()] }), vec!["/lines maxItems"]),
        ] {
            let known = KnownInput::of(arguments.as_object().unwrap()).unwrap();
            let keyword = |message: &str| {
                let words = [
                    ("required property", "required"),
                    ("Additional", "additionalProperties"),
                    ("not of type", "type"),
                    ("more than", "maxItems"),
                ];
                words.into_iter().find_map(|(part, word)| message.contains(part).then_some(word))
            };
            let found: Vec<String> = schema
                .faults_of_known(&known)
                .iter()
                .map(|fault| {
                    format!("{} {}", fault.pointer, keyword(&fault.message).unwrap_or(&fault.message))
                })
                .collect();
            assert_eq!(found, expected, "{arguments}");
        }
    }

    #[test]
    fn a_pattern_cannot_run_for_ever() {
        let schema =
            ArgumentSchema::compile(&json!({ "properties": { "a": { "pattern": "^(?=(a+)+$).*b$" } } }))
                .unwrap();
        let faults = schema.faults(&json!({ "a": "a".repeat(40) + "!" }));
        assert_eq!(faults.len(), 1);
    }
}
