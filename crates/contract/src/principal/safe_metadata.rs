//! What models and front ends may know of a principal.

use serde_json::{Value, json};

use super::ExecutionPrincipal;

const SCHEMA_VERSION: u64 = 1;

impl ExecutionPrincipal {
    /// The export without secrets: no request metadata, token, owner key, claims, capability lists, caller
    /// details or binding; flags say whether some of them exist.
    pub fn to_safe_metadata(&self) -> Value {
        let owner = self.conversation_owner();
        json!({
            "schema_version": SCHEMA_VERSION,
            "effective_agent_id": self.effective_agent_id(),
            "auth_source": self.auth_source().as_str(),
            "request_context": self.request_context(),
            "acting_user_id": self.acting_user_id,
            "workspace_id": self.workspace_id,
            "client_id": self.client_id,
            "audience_id": self.audience_id(),
            "owner_type": owner.as_ref().map(|owner| owner.owner_type()),
            "has_conversation_owner": owner.is_some(),
            "has_capability_ceiling": self.capability_ceiling.is_some(),
            "has_caller_context": self.caller_context.is_some(),
        })
    }
}
