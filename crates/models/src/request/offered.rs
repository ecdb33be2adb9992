//! A tool as a model is told of it.

use provost_contract::json::{self, Object};
use provost_contract::provider::ToolNames;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::Carrier;
use serde_json::{Value, json};

/// The keywords by which a schema shows that it is one, and not a bare map of parameters.
const SCHEMA_WORDS: [&str; 6] = ["type", "properties", "$ref", "allOf", "anyOf", "oneOf"];

/// A tool under the name the provider sees, with the parameters the model decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: Object,
}

impl OfferedTool {
    pub(crate) fn of(tool: &ToolDeclaration, names: &dyn ToolNames) -> Self {
        Self {
            name: names.alias(tool.name().as_str()).into_owned(),
            description: tool.description().to_owned(),
            schema: object_schema(tool.rules().model_schema()),
        }
    }
}

impl OfferedTool {
    /// The tool that carries declarations.
    pub(crate) fn carrier(carrier: &Carrier) -> Self {
        Self {
            name: carrier.name.to_owned(),
            description: carrier.description.to_owned(),
            schema: json::into_object(carrier.schema.clone()),
        }
    }
}

/// Providers take the schema of an object only: a bare map of parameters becomes its properties.
fn object_schema(declared: Object) -> Object {
    let is_schema = SCHEMA_WORDS.iter().any(|word| declared.contains_key(*word));
    if !is_schema {
        return json::into_object(json!({ "type": "object", "properties": declared }));
    }
    let mut schema = declared;
    schema.entry("type").or_insert_with(|| "object".into());
    let no_properties = || Value::Object(Object::new());
    if schema.get("type").and_then(Value::as_str) == Some("object") && !schema.contains_key("$ref") {
        schema.entry("properties").or_insert_with(no_properties);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(declared: Value, expected: Value) {
        assert_eq!(Value::Object(object_schema(json::into_object(declared))), expected);
    }

    #[test]
    fn every_declaration_becomes_the_schema_of_an_object() {
        let whole = json!({ "type": "object", "properties": { "q": { "type": "string" } } });
        check(whole.clone(), whole.clone());
        check(json!({ "q": { "type": "string" } }), whole.clone());
        check(
            json!({ "properties": { "q": { "type": "string" } } }),
            json!({ "properties": { "q": { "type": "string" } }, "type": "object" }),
        );
        check(json!({}), json!({ "type": "object", "properties": {} }));
    }
}
