//! The normal form of a declaration and its wire shape.

use serde::Serialize;
use serde_json::{Value, json};
use strum::IntoStaticStr;

use crate::json::{self, Object};
use crate::sensitivity::{self, REDACTED, is_sensitive_name};
use crate::tool::provider_name::{PROVIDER_SAFE_NAME, answers_to, provider_safe_name};
use crate::tool::{ParameterRules, RuntimeMetadata, ToolName};

/// Fields with a meaning of their own; every other field is an extension.
const CANONICAL_FIELDS: [&str; 9] = [
    "name",
    "source",
    "description",
    "parameters",
    "executor",
    "scope",
    "runtime",
    "parameter_bindings",
    "parameter_defaults",
];
/// Extensions that speak of parameters by name. Their values are paths and levels, no secrets.
const ABOUT_PARAMETERS: [&str; 3] =
    ["client_context_bindings", "sensitive_parameters", "parameter_sensitivity"];
/// A declaration is for one run.
pub(super) const SCOPE: &str = "run";

/// Who runs a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ToolExecutor {
    /// The client that started the run.
    Client,
    /// The host.
    Host,
}

/// A declared tool. Nothing in it is secret: what stood under a sensitive name, path or mark is hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDeclaration {
    name: ToolName,
    source: String,
    description: String,
    executor: ToolExecutor,
    rules: ParameterRules,
    runtime: RuntimeMetadata,
    extensions: Object,
}

impl ToolDeclaration {
    /// Builds the normal form of a raw declaration whose fields were found valid.
    pub(super) fn build(raw: &Object, name: ToolName, executor: ToolExecutor) -> Self {
        let source = json::text(raw, "source").unwrap_or(name.namespace()).to_owned();
        let description = json::trimmed_text(raw, "description").unwrap_or_default().to_owned();
        let mut extensions = extensions_of(raw);
        // Declared or computed, the same alias is the same declaration.
        if json::text(&extensions, PROVIDER_SAFE_NAME) == Some(&provider_safe_name(name.as_str())) {
            extensions.shift_remove(PROVIDER_SAFE_NAME);
        }
        Self {
            source,
            description,
            executor,
            rules: ParameterRules::read(raw),
            runtime: RuntimeMetadata::of(raw),
            extensions,
            name,
        }
    }

    /// The canonical name.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// Which source contributed the tool; often, not always, the namespace of its name.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What the model is told.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Who runs the tool.
    pub fn executor(&self) -> ToolExecutor {
        self.executor
    }

    /// How its parameters are filled, checked and shown.
    pub fn rules(&self) -> &ParameterRules {
        &self.rules
    }

    /// Where and how it runs.
    pub fn runtime(&self) -> &RuntimeMetadata {
        &self.runtime
    }

    /// A field outside the canonical ones, such as `categories`, `modes` or `required_capability`.
    pub fn extension(&self, field: &str) -> Option<&Value> {
        self.extensions.get(field)
    }

    /// Whether a provider may have meant this tool by an alias.
    pub fn answers_to(&self, alias: &str) -> bool {
        answers_to(alias, self.name.as_str(), &self.extensions)
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "name": self.name.as_str(),
            "source": self.source,
            "description": self.description,
            "parameters": self.rules.schema(),
            "executor": self.executor,
            "scope": SCOPE,
        });
        let bindings = self.rules.bindings();
        let defaults = self.rules.defaults();
        let optional = [
            ("runtime", (!self.runtime.is_empty()).then(|| self.runtime.to_value())),
            (PROVIDER_SAFE_NAME, self.differing_safe_name().map(Value::String)),
            ("parameter_bindings", (!bindings.is_empty()).then(|| bindings.to_value())),
            ("parameter_defaults", (!defaults.is_empty()).then(|| defaults.to_value())),
        ];
        if let Some(map) = wire.as_object_mut() {
            map.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
            map.extend(self.extensions.clone());
        }
        wire
    }

    /// The computed alias, shown only when it says more than the name.
    fn differing_safe_name(&self) -> Option<String> {
        Some(provider_safe_name(self.name.as_str())).filter(|alias| alias != self.name.as_str())
    }
}

/// Everything outside the canonical fields, without nulls and without what must not be shown.
fn extensions_of(raw: &Object) -> Object {
    let others =
        raw.iter().filter(|(field, value)| !CANONICAL_FIELDS.contains(&field.as_str()) && !value.is_null());
    let shown = |(field, value): (&String, &Value)| {
        let value = json::without_nulls(value);
        let value = if ABOUT_PARAMETERS.contains(&field.as_str()) {
            value
        } else if is_sensitive_name(field) {
            REDACTED.into()
        } else {
            sensitivity::redact_names(&value)
        };
        (field.clone(), value)
    };
    others.map(shown).collect()
}
