//! The execution principal: who acts, for which agent, how the request was authenticated, where.

use std::num::NonZeroU64;

use serde_json::{Value, json};

use super::{AuthSource, AutonomousSources, CODE, ConversationOwner, RequestScope};
use crate::access::CapabilityCeiling;
use crate::json::{self, Object};
use crate::{CallerContext, ContractError, Result, UserId, identity_fields as fields};

/// The identity of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionPrincipal {
    /// The user the run acts for.
    pub acting_user_id: UserId,
    /// Never empty.
    pub(super) effective_agent_id: String,
    pub(super) auth_source: AuthSource,
    /// Never empty: `rest`, `cli`, `chat`, `cron`, `runtime` …
    pub(super) request_context: String,
    /// The bearer token the request came with.
    pub token_id: Option<NonZeroU64>,
    /// What the host noted about the request; private to it.
    pub request_metadata: Object,
    /// The workspace the request is for.
    pub workspace_id: Option<String>,
    /// The client it came from.
    pub client_id: Option<String>,
    /// The most this run may do.
    pub capability_ceiling: Option<CapabilityCeiling>,
    /// Who called, when an agent did.
    pub caller_context: Option<CallerContext>,
    /// Never blank.
    pub(super) audience_id: Option<String>,
    /// What is known of the audience; private to the host.
    pub audience_claims: Object,
    /// An owner of conversations other than the one the rest implies.
    pub(super) owner: Option<ConversationOwner>,
    /// What binds the principal to a key or channel; private to the host.
    pub binding: Option<Object>,
}

impl ExecutionPrincipal {
    /// Reads a principal. Nothing is trimmed.
    pub fn parse(value: &Value) -> Result<Self> {
        Self::parse_declared(value, &[])
    }

    /// Reads a principal on a host that knows authentication sources besides the usual ones.
    pub fn parse_declared(value: &Value, declared_sources: &[String]) -> Result<Self> {
        let raw = value.as_object().cloned().unwrap_or_default();
        let nested = |key| raw.get(key).filter(|value| value.is_object());
        let capability_ceiling = nested("capability_ceiling").map(CapabilityCeiling::parse).transpose()?;
        let caller_context = nested("caller_context").map(CallerContext::parse).transpose()?;
        // In this order: the first failure is the one reported.
        let acting_user_id = fields::user(&raw, "acting_user_id", CODE)?;
        let agent_id = non_empty(fields::text(&raw, "effective_agent_id"), "effective_agent_id")?;
        let auth_source = AuthSource::parse(&fields::text(&raw, "auth_source"), declared_sources)?;
        let scope = RequestScope {
            request_context: fields::text(&raw, "request_context"),
            request_metadata: json::object_or_empty(&raw, "request_metadata"),
            workspace_id: fields::optional_text(&raw, "workspace_id"),
            client_id: fields::optional_text(&raw, "client_id"),
        };
        let base = Self::new(agent_id, auth_source, scope)?;
        Ok(Self {
            acting_user_id,
            token_id: fields::optional_positive(&raw, "token_id", CODE)?,
            audience_id: checked_audience(fields::optional_text(&raw, "audience_id"))?,
            owner: ConversationOwner::parse(&raw)?,
            capability_ceiling,
            caller_context,
            audience_claims: json::object_or_empty(&raw, "audience_claims"),
            binding: json::object(&raw, "binding").cloned(),
            ..base
        })
    }

    /// What a host's resolver answered: null is no principal, an object is read, anything else is refused,
    /// a list for the fields it cannot have.
    pub fn from_resolver(answer: &Value) -> Result<Option<Self>> {
        match answer {
            Value::Null => Ok(None),
            Value::Object(_) | Value::Array(_) => Self::parse(answer).map(Some),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(ContractError::with_message(
                CODE,
                format!("{CODE}: principal resolver must return null, an array, or a principal"),
            )
            .about("principal")),
        }
    }

    /// The agent the run is for.
    pub fn effective_agent_id(&self) -> &str {
        &self.effective_agent_id
    }

    /// How the request was authenticated.
    pub fn auth_source(&self) -> &AuthSource {
        &self.auth_source
    }

    /// Through which door the request came.
    pub fn request_context(&self) -> &str {
        &self.request_context
    }

    /// The audience the principal belongs to.
    pub fn audience_id(&self) -> Option<&str> {
        self.audience_id.as_deref()
    }

    /// Whether automation rather than a person drives the run.
    pub fn is_autonomous(&self, sources: &AutonomousSources) -> bool {
        sources.contains(self.auth_source.as_str())
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let owner = self.owner.as_ref();
        json!({
            "acting_user_id": self.acting_user_id,
            "effective_agent_id": self.effective_agent_id,
            "auth_source": self.auth_source.as_str(),
            "request_context": self.request_context,
            "token_id": self.token_id,
            "request_metadata": self.request_metadata,
            "workspace_id": self.workspace_id,
            "client_id": self.client_id,
            "capability_ceiling": self.capability_ceiling.as_ref().map(CapabilityCeiling::to_value),
            "caller_context": self.caller_context.as_ref().map(CallerContext::to_value),
            "audience_id": self.audience_id,
            "audience_claims": self.audience_claims,
            "owner_type": owner.map(ConversationOwner::owner_type),
            "owner_key": owner.map(ConversationOwner::owner_key),
            "binding": self.binding,
        })
    }

    /// A principal of nobody in particular, which the doors fill in.
    pub(super) fn new(
        agent_id: impl Into<String>,
        auth_source: AuthSource,
        scope: RequestScope,
    ) -> Result<Self> {
        Ok(Self {
            acting_user_id: UserId::NOBODY,
            effective_agent_id: non_empty(agent_id.into(), "effective_agent_id")?,
            auth_source,
            request_context: non_empty(scope.request_context, "request_context")?,
            token_id: None,
            request_metadata: scope.request_metadata,
            workspace_id: scope.workspace_id,
            client_id: scope.client_id,
            capability_ceiling: None,
            caller_context: None,
            audience_id: None,
            audience_claims: Object::new(),
            owner: None,
            binding: None,
        })
    }
}

pub(super) fn checked_audience(audience_id: Option<String>) -> Result<Option<String>> {
    fields::refuse_blank(audience_id.as_deref(), "audience_id", CODE)?;
    Ok(audience_id)
}

fn non_empty(text: String, field: &str) -> Result<String> {
    if text.is_empty() {
        return Err(ContractError::field(CODE, field, "must be a non-empty string"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_principal_reads_its_own_wire_form() {
        let principal = ExecutionPrincipal::parse(&json!({
            "acting_user_id": "4", "effective_agent_id": " Editor ", "auth_source": "agent_token",
            "request_context": "chat", "token_id": 9, "workspace_id": 12, "audience_id": "audience:staff",
            "capability_ceiling": { "user_id": 4, "allowed_capabilities": "read", "denied_capabilities": ["x", ["y"]] },
            "caller_context": { "caller_host": "http://peer", "chain_depth": 3, "chain_root_request_id": "r" },
            "owner_type": "team", "owner_key": "red", "binding": { "jkt": "k" },
        }))
        .unwrap();
        assert_eq!(ExecutionPrincipal::parse(&principal.to_value()), Ok(principal));
    }

    #[test]
    fn a_resolver_answers_with_a_principal_or_with_null() {
        let refused = |answer: Value| ExecutionPrincipal::from_resolver(&answer).unwrap_err();
        assert_eq!(ExecutionPrincipal::from_resolver(&Value::Null), Ok(None));
        assert_eq!(refused(json!(false)).field_paths(), ["principal"]);
        assert_eq!(refused(json!(["editor"])).field_paths(), ["effective_agent_id"]);
    }

    #[test]
    fn a_source_of_the_host_is_known_only_where_it_is_declared() {
        let raw = json!({ "effective_agent_id": "a", "auth_source": "mtls", "request_context": "rest" });
        assert!(ExecutionPrincipal::parse_declared(&raw, &["mtls".to_owned()]).is_ok());
        assert_eq!(ExecutionPrincipal::parse(&raw).unwrap_err().field_paths(), ["auth_source"]);
    }
}
