//! The three doors: defaults each form allows, then one check, then the normal form.

use serde_json::Value;

use super::envelope::SCOPE;
use super::invalid::{declared_namespace, invalid_fields, is_client_name};
use super::{ToolDeclaration, ToolExecutor};
use crate::json::{self, Object};
use crate::{ContractError, Result};

const CLIENT_CODE: &str = "invalid_runtime_tool_declaration";
const SERVER_CODE: &str = "invalid_server_tool_declaration";
const REQUEST_CODE: &str = "invalid_conversation_tool_declaration";

impl ToolDeclaration {
    /// Reads the strict form of a tool the client runs: nothing is filled in.
    pub fn parse_client(raw: &Object) -> Result<Self> {
        checked(CLIENT_CODE, raw, ToolExecutor::Client)
    }

    /// Reads the form of a tool the host runs; source, executor and scope have defaults.
    pub fn parse_server(raw: &Object) -> Result<Self> {
        checked(SERVER_CODE, &with_server_defaults(raw), ToolExecutor::Host)
    }

    /// Reads an entry of a request or catalog: a client tool, its implied fields filled in, or else a
    /// tool of the host.
    pub fn parse_request(raw: &Object) -> Result<Self> {
        if json::text(raw, "executor") == Some("client") || is_client_name(raw) {
            return checked(CLIENT_CODE, &with_client_defaults(raw), ToolExecutor::Client);
        }
        checked(REQUEST_CODE, &with_server_defaults(raw), ToolExecutor::Host)
    }

    /// The invalid fields of a strict client declaration; none when it is valid.
    pub fn invalid_client_fields(raw: &Object) -> Vec<&'static str> {
        invalid_fields(raw, ToolExecutor::Client)
    }

    /// The invalid fields of a host declaration that must already be complete.
    pub fn invalid_server_fields(raw: &Object) -> Vec<&'static str> {
        invalid_fields(raw, ToolExecutor::Host)
    }
}

fn checked(code: &'static str, raw: &Object, executor: ToolExecutor) -> Result<ToolDeclaration> {
    let invalid = invalid_fields(raw, executor);
    let refused = || ContractError::fields(code, invalid.iter().map(|field| (*field).to_owned()).collect());
    let name = json::text(raw, "name").and_then(|name| name.parse().ok()).ok_or_else(refused)?;
    if !invalid.is_empty() {
        return Err(refused());
    }
    let mut complete = raw.clone();
    fill(&mut complete, "parameters", Object::new().into());
    Ok(ToolDeclaration::build(&complete, name, executor))
}

fn with_server_defaults(raw: &Object) -> Object {
    let mut filled = raw.clone();
    if json::non_empty_text(raw, "source").is_none() {
        // Where the name has no namespace, the name alone is to blame.
        let source = declared_namespace(raw).unwrap_or("host");
        filled.insert("source".into(), source.into());
    }
    // Other words for the executor come from older hosts and mean the host.
    if json::text(raw, "executor") != Some("client") {
        filled.insert("executor".into(), "host".into());
    }
    fill(&mut filled, "scope", SCOPE.into());
    let capability = json::trimmed_text(raw, "required_capability").map(Value::from).unwrap_or_default();
    filled.insert("required_capability".into(), capability);
    filled
}

fn with_client_defaults(raw: &Object) -> Object {
    let mut filled = raw.clone();
    fill(&mut filled, "source", "client".into());
    fill(&mut filled, "executor", "client".into());
    fill(&mut filled, "scope", SCOPE.into());
    let is_blank = json::text(raw, "description").is_some_and(|text| text.trim().is_empty());
    if is_blank || json::present(raw, "description").is_none() {
        filled.insert("description".into(), raw.get("name").cloned().unwrap_or_default());
    }
    filled
}

/// Fills a field that is absent or null.
fn fill(object: &mut Object, key: &str, value: Value) {
    if json::present(object, key).is_none() {
        object.insert(key.into(), value);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_source_is_filled_in_but_never_taken_for_granted() {
        let invalid =
            |declaration: Value| ToolDeclaration::invalid_server_fields(declaration.as_object().unwrap());
        assert_eq!(invalid(json!({})), ["name", "source", "description", "executor", "scope"]);
        let mut complete = json!({"name": "a/b", "description": "x", "executor": "host", "scope": "run"});
        assert_eq!(invalid(complete.clone()), ["source"]);
        complete["source"] = "a".into();
        assert!(invalid(complete).is_empty());
        let refused = ToolDeclaration::parse_server(&Object::new()).unwrap_err();
        assert_eq!(refused.field_paths(), ["name", "description"]);
    }
}
