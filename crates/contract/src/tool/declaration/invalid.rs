//! Which fields of a raw declaration are wrong.

use super::ToolExecutor;
use super::envelope::SCOPE;
use crate::json::{self, Object};
use crate::tool::name::{is_slug, namespace_of};
use crate::tool::{Bindings, Defaults, ToolName};

const CLIENT: &str = "client";

/// The names of the invalid fields, in the fixed order of the fields.
pub(super) fn invalid_fields(raw: &Object, executor: ToolExecutor) -> Vec<&'static str> {
    let is_valid_source = match executor {
        ToolExecutor::Client => is_client_source(raw),
        ToolExecutor::Host => is_host_source(raw),
    };
    let bindings =
        if raw.contains_key("parameter_bindings") { "parameter_bindings" } else { "client_context_bindings" };
    let checks = [
        ("name", json::text(raw, "name").is_some_and(|name| name.parse::<ToolName>().is_ok())),
        ("source", is_valid_source),
        ("description", json::trimmed_text(raw, "description").is_some()),
        (
            "parameters",
            json::present(raw, "parameters").is_none_or(|value| json::object_from(value).is_some()),
        ),
        ("executor", json::text(raw, "executor") == Some(executor.into())),
        ("scope", json::text(raw, "scope") == Some(SCOPE)),
        ("runtime", json::present(raw, "runtime").is_none_or(json::is_container)),
        (bindings, Bindings::parse(raw).is_ok()),
        ("parameter_defaults", Defaults::parse(raw).is_ok()),
    ];
    checks.into_iter().filter(|(_, is_valid)| !is_valid).map(|(field, _)| field).collect()
}

/// The namespace of the declared name, when it has one.
pub(super) fn declared_namespace(raw: &Object) -> Option<&str> {
    json::text(raw, "name").and_then(namespace_of)
}

/// Whether the name lies in the namespace of client tools.
pub(super) fn is_client_name(raw: &Object) -> bool {
    declared_namespace(raw) == Some(CLIENT)
}

/// A client tool comes from the client, by its name and, when it says so, by its source.
fn is_client_source(raw: &Object) -> bool {
    declared_namespace(raw).is_none_or(|namespace| namespace == CLIENT)
        && json::present(raw, "source").is_none_or(|source| source.as_str() == Some(CLIENT))
}

/// A host tool has a slug for its source and stays out of the clients' namespace.
fn is_host_source(raw: &Object) -> bool {
    json::text(raw, "source").is_some_and(is_slug) && !is_client_name(raw)
}
