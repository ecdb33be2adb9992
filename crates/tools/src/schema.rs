//! The parameters of a tool: one Rust type is both their schema and their door.

use provost_contract::json::{self, Object};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Refusal;

/// The code of parameters that do not fit.
const CODE: &str = "invalid_parameters";

/// The schema of parameters, with nothing in it that a provider might refuse.
pub(crate) fn schema_of<P: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(plain));
    settings.into_generator().into_root_schema_for::<P>().to_value()
}

/// Leaves out names and formats of Rust; what may be left out may be null too, which goes without saying.
fn plain(schema: &mut Schema) {
    for keyword in ["title", "format"] {
        schema.remove(keyword);
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get("type")
        && let [one, Value::String(null)] = types.as_slice()
        && null == "null"
    {
        let one = one.clone();
        schema.insert("type".to_owned(), one);
    }
}

/// Reads the parameters of a call. A null counts as left out.
pub(crate) fn read<P: DeserializeOwned>(parameters: &Object) -> Result<P, Refusal> {
    let given = json::without_nulls(&Value::Object(parameters.clone()));
    serde_json::from_value(given).map_err(|error| wrong(error.to_string()))
}

/// A text that must be said and may be empty. A schema cannot ask for it: an empty text counts as missing.
pub(crate) fn said(text: Option<String>, parameter: &str) -> Result<String, Refusal> {
    text.ok_or_else(|| wrong(format!("{parameter} is missing; say \"\" if it is meant to be empty")))
}

/// Parameters that do not fit.
pub(crate) fn wrong(reason: impl Into<String>) -> Refusal {
    Refusal::new(CODE, reason)
}
