//! Where a task may or should run.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::loose;

const SCHEMA: &str = "agents-api/execution-placement/v1";
const RESOURCE_CLASS: &str = "generic";

/// What a target must be and have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The only targets allowed; empty allows every one.
    pub allowed_targets: Vec<String>,
    /// What kind of machine is needed; none asks for no kind in particular.
    pub resource_class: Option<String>,
    /// What the target must be able to do, all of it.
    pub required_capabilities: Vec<String>,
}

impl Filter {
    /// Reads a filter; what makes no sense asks for nothing.
    pub fn parse(raw: &Object) -> Self {
        let texts = |key| raw.get(key).map(loose::text_list).unwrap_or_default();
        Self {
            allowed_targets: texts("allowed_targets"),
            resource_class: raw.get("resource_class").and_then(loose::text),
            required_capabilities: texts("required_capabilities"),
        }
    }
}

/// The placement of a task: a filter that always names a resource class, and a wish.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The target to take if it passes the filter.
    pub preferred_target: Option<String>,
    /// Its resource class is always there: a task that asks for none runs on generic machines.
    filter: Filter,
    /// What the caller wants to remember beside it.
    pub metadata: Object,
}

impl Placement {
    /// Reads placement hints; what makes no sense is no hint.
    pub fn parse(raw: &Object) -> Self {
        let mut filter = Filter::parse(raw);
        filter.resource_class.get_or_insert_with(|| RESOURCE_CLASS.to_owned());
        Self {
            preferred_target: raw.get("preferred_target").and_then(loose::text),
            filter,
            metadata: json::object_or_empty(raw, "metadata"),
        }
    }

    /// What the target must be and have.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "schema": SCHEMA,
            "preferred_target": self.preferred_target,
            "allowed_targets": self.filter.allowed_targets,
            "resource_class": self.filter.resource_class,
            "required_capabilities": self.filter.required_capabilities,
            "metadata": self.metadata,
        })
    }
}
