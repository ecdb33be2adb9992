//! What a tool of ours says of itself.

use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::tool::ToolDeclaration;
use provost_contract::{Result, json};
use serde_json::{Value, json};

/// How much longer the engine waits than the tool: an answer that says what was done by then is worth more.
const GRACE_SECONDS: u64 = 5;

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
    /// The declaration of the tool with these parameters, which ends its work by itself after so long.
    pub(crate) fn declare(&self, parameters: Value, ms_max: u64) -> Result<ToolDeclaration> {
        ToolDeclaration::parse_server(&json::into_object(json!({
            "name": self.name,
            "description": self.description,
            "parameters": parameters,
            "side_effects": self.effects,
            "idempotency": self.idempotency,
            "categories": self.categories,
            "timeout_seconds": ms_max.div_ceil(1_000).saturating_add(GRACE_SECONDS),
        })))
    }
}
