//! The answer to a request for JSON of a given shape: read, checked against the schema, and taken or refused.

use provost_contract::json::{self, Object};
use provost_contract::structured_output::{StructuredOutputRequest, check};
use provost_engine::{Fault, Payload};
use provost_protocol::ArgumentSchema;
use serde_json::{Value, json};

/// The code of an answer that does not fit.
const CODE: &str = "output_schema";
/// A larger schema is not repeated to the model.
const SCHEMA_BYTES_MAX: usize = 4_096;
/// What records show of how an answer was read.
const SHOWN_DIAGNOSTICS: [&str; 4] = ["status", "code", "parser", "valid"];

/// What an adapter or host read of an answer: the value, and how it was read.
pub(super) struct Given {
    parsed: Value,
    diagnostics: Object,
}

impl Given {
    /// Takes a value that was read elsewhere.
    pub(super) fn new(parsed: Value, diagnostics: &Object) -> Self {
        Self { parsed, diagnostics: shown(diagnostics) }
    }

    /// Reads the answer in the wire form of a turn.
    pub(super) fn of_turn(turn: &Object) -> Option<Self> {
        let answer = json::object(turn, "structured_output")?;
        let diagnostics = json::object_or_empty(answer, "diagnostics");
        Some(Self::new(answer.get("parsed")?.clone(), &diagnostics))
    }

    fn record(&self) -> Value {
        json!({ "parsed": self.parsed, "diagnostics": self.diagnostics })
    }
}

fn shown(diagnostics: &Object) -> Object {
    let shown = SHOWN_DIAGNOSTICS
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), json::get(diagnostics, key)?.clone())));
    shown.filter(|(_, value)| !json::is_container(value)).collect()
}

/// The answer of a turn as it is recorded, or why it is refused.
#[derive(Default)]
pub(super) struct Output {
    pub(super) record: Option<Value>,
    fault: Option<Fault>,
}

impl Output {
    /// Reads the answer of a turn. A turn that calls tools is no answer yet.
    pub(super) fn of(wanted: Option<&Value>, given: Option<Given>, text: &str, calls: usize) -> Self {
        let Some(wanted) = wanted.filter(|_| calls == 0) else {
            return Self { record: given.map(|given| given.record()), fault: None };
        };
        let wanted = match StructuredOutputRequest::parse(wanted) {
            Ok(wanted) => wanted,
            Err(error) => return Self { record: None, fault: Some(Fault::new(CODE, error.message())) },
        };
        let read = given.map_or_else(|| parsed(text), Ok);
        match read.and_then(|given| fitting(&wanted, given)) {
            Ok(given) => Self { record: Some(given.record()), fault: None },
            Err(unfit) => Self { record: None, fault: Some(unfit.fault(&wanted)) },
        }
    }

    /// The same as the engine takes it.
    pub(super) fn into_payload(self) -> Option<Result<Payload, Fault>> {
        match self.fault {
            Some(fault) => Some(Err(fault)),
            None => self.record.map(|record| Ok(Payload::inline(record))),
        }
    }
}

/// Why an answer does not fit.
struct Unfit {
    reasons: Vec<String>,
    mismatch: Option<&'static str>,
}

impl Unfit {
    fn fault(self, wanted: &StructuredOutputRequest) -> Fault {
        let schema = Value::Object(wanted.schema.clone()).to_string();
        let schema = if schema.len() <= SCHEMA_BYTES_MAX {
            format!(" The schema is: {schema}")
        } else {
            String::new()
        };
        let reasons = self.reasons.join("; ");
        let message = format!(
            "The answer must be one JSON document that fits the schema, and nothing else. It does not fit: {reasons}.{schema}"
        );
        let fields = json!({ "violations": self.reasons, "mismatch": self.mismatch });
        Fault { fields: json::into_object(json::without_nulls(&fields)), ..Fault::new(CODE, message) }
    }
}

/// The JSON that a text is, perhaps within a fence.
fn parsed(text: &str) -> Result<Given, Unfit> {
    let trimmed = text.trim();
    let fenced = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let body = fenced.map_or(trimmed, |fenced| fenced.strip_prefix("json").unwrap_or(fenced).trim());
    match json::parse_text(body) {
        Ok(parsed) => {
            let diagnostics = json::into_object(json!({ "parser": "json", "valid": true }));
            Ok(Given { parsed, diagnostics })
        }
        Err(error) => Err(Unfit { reasons: vec![format!("it is no JSON ({error})")], mismatch: None }),
    }
}

fn fitting(wanted: &StructuredOutputRequest, given: Given) -> Result<Given, Unfit> {
    let schema = ArgumentSchema::compile(&Value::Object(wanted.schema.clone()));
    let faults = match schema {
        Ok(schema) => schema.faults(&given.parsed).iter().map(ToString::to_string).collect(),
        Err(error) => vec![error.message().to_owned()],
    };
    if faults.is_empty() {
        return Ok(given);
    }
    let mismatch = check(&wanted.schema, &given.parsed).err().map(Into::into);
    Err(Unfit { reasons: faults, mismatch })
}
