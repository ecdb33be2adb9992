//! What a tool of ours says of itself.

use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::tool::ToolDeclaration;
use provost_contract::{Result, json};
use serde_json::{Value, json};

/// Everything a declaration says beside the parameters.
pub(crate) struct Described<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// All that it may change.
    pub(crate) effects: &'a [SideEffect],
    pub(crate) idempotency: Idempotency,
    /// The words policies know it by.
    pub(crate) categories: &'a [&'a str],
}

impl Described<'_> {
    /// The declaration of the tool with these parameters.
    pub(crate) fn declare(&self, parameters: Value) -> Result<ToolDeclaration> {
        ToolDeclaration::parse_server(&json::into_object(json!({
            "name": self.name,
            "description": self.description,
            "parameters": parameters,
            "side_effects": self.effects,
            "idempotency": self.idempotency,
            "categories": self.categories,
        })))
    }
}
