//! Approvals for callers: show what waits, and carry a decision out once.

use std::sync::Arc;

use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution, Verdict};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, loose};
use serde_json::{Value, json};

use super::ServiceError;
use crate::port::{ApprovalFilter, Approvals, Boxed, Decided};

const INVALID_DECISION: &str = "agents_pending_action_invalid_decision";

/// A decision as it is handed to whoever carries it out.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolveCall {
    pub action_id: String,
    pub verdict: Verdict,
    pub resolver: String,
    pub payload: Object,
    pub context: Object,
}

impl ResolveCall {
    /// Reads a request: what is decided about, by whom, and how, in this order.
    ///
    /// # Errors
    /// A missing id or resolver, or a decision that is not exactly yes or no.
    pub fn parse(input: &Object) -> Result<Self, ContractError> {
        let required = |key: &str, code: &'static str| {
            let text = json::get(input, key).and_then(loose::text);
            text.ok_or_else(|| ContractError::with_message(code, format!("{key} is required.")))
        };
        let action_id = required("action_id", "agents_pending_action_missing_action_id")?;
        let resolver = required("resolver", "agents_pending_action_missing_resolver")?;
        let word = json::get(input, "decision").and_then(loose::text).unwrap_or_default();
        let verdict = Verdict::parse(&word)
            .map_err(|refused| ContractError::with_message(INVALID_DECISION, refused.message()))?;
        let (payload, context) =
            (json::object_or_empty(input, "payload"), json::object_or_empty(input, "context"));
        Ok(Self { action_id, verdict, resolver, payload, context })
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "action_id": self.action_id,
            "decision": self.verdict,
            "resolver": self.resolver,
            "payload": self.payload,
            "context": self.context,
        })
    }
}

/// Whoever carries decisions out for a host.
pub trait ActionResolver: Send + Sync {
    /// Carries a decision out, and gives what came of it.
    fn resolve<'a>(&'a self, call: &'a ResolveCall) -> Boxed<'a, Result<Value, ContractError>>;
}

/// Whether somebody may decide about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    Denied,
    Granted,
}

/// Whoever applies, or drops, actions of a kind.
pub trait ActionHandler: Send + Sync {
    /// Says whether the resolver may decide so; asked before anything happens, also for a no.
    fn may_resolve<'a>(&'a self, action: &'a PendingAction, call: &'a ResolveCall) -> Boxed<'a, Permission>;

    /// Applies an accepted action, or takes note of a rejected one.
    fn handle<'a>(
        &'a self,
        action: &'a PendingAction,
        call: &'a ResolveCall,
    ) -> Boxed<'a, Result<Value, String>>;
}

/// What came of a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedAction {
    pub action_id: String,
    pub verdict: Verdict,
    pub result: Value,
}

impl ResolvedAction {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "action_id": self.action_id, "decision": self.verdict, "result": self.result })
    }
}

/// Whether a handler was given an action.
#[derive(Clone, Debug, PartialEq)]
pub enum HandledAction {
    /// Nothing waits under that id, or somebody decided first.
    NotPending,
    /// The handler did not let the resolver decide; the action still waits.
    NotPermitted,
    /// It was handed over; this came of it.
    Handled(Result<Value, String>),
}

/// Shows what waits and carries decisions out.
pub struct ApprovalDesk {
    pub approvals: Option<Arc<dyn Approvals>>,
    pub resolver: Option<Arc<dyn ActionResolver>>,
}

impl ApprovalDesk {
    /// Hands a decision to the host's resolver.
    pub async fn resolve(&self, input: &Object) -> Result<ResolvedAction, ServiceError> {
        let call = ResolveCall::parse(input)?;
        let resolver = self.resolver.as_ref().ok_or_else(|| {
            ServiceError::refused(
                "agents_pending_action_no_resolver",
                "No pending action resolver is registered.",
            )
        })?;
        let result = resolver.resolve(&call).await?;
        Ok(ResolvedAction { action_id: call.action_id, verdict: call.verdict, result })
    }

    /// Shows an action; a decided one only when asked to.
    pub async fn get(&self, input: &Object) -> Result<Option<PendingAction>, ServiceError> {
        let action_id = json::get(input, "action_id").and_then(loose::text).ok_or_else(|| {
            ServiceError::refused("agents_pending_action_missing_action_id", "action_id is required.")
        })?;
        let decided = match json::get(input, "include_resolved").is_some_and(loose::flag) {
            true => Decided::Included,
            false => Decided::Hidden,
        };
        Ok(self.approvals()?.get(&action_id, decided).await?)
    }

    /// Lists actions; a status that is none shows nothing.
    pub async fn list(&self, input: &Object) -> Result<Vec<PendingAction>, ServiceError> {
        let approvals = self.approvals()?;
        let filters = json::object_or_empty(input, "filters");
        let mut filter = ApprovalFilter::default();
        if let Some(word) = json::get(&filters, "status").and_then(loose::text) {
            let Ok(status) = PendingActionStatus::parse(&word) else { return Ok(Vec::new()) };
            filter.status = Some(status);
        }
        Ok(approvals.list(&filter).await?)
    }

    /// Has a handler carry a decision out, if it lets the resolver decide.
    ///
    /// The decision is recorded before the handler acts: of two resolvers at once one acts, and after a
    /// crash in between the record says that it was decided and not what came of it.
    pub async fn resolve_with(
        &self,
        handler: &dyn ActionHandler,
        call: &ResolveCall,
        now: &str,
    ) -> Result<HandledAction, ServiceError> {
        let approvals = self.approvals()?;
        let Some(action) = approvals.get(&call.action_id, Decided::Hidden).await? else {
            return Ok(HandledAction::NotPending);
        };
        match handler.may_resolve(&action, call).await {
            Permission::Denied => return Ok(HandledAction::NotPermitted),
            Permission::Granted => {}
        }
        let resolution = Resolution::new(call.verdict, &call.resolver, now)?;
        if !approvals.record_resolution(&call.action_id, resolution).await? {
            return Ok(HandledAction::NotPending);
        }
        let outcome = handler.handle(&action, call).await;
        approvals.record_outcome(&call.action_id, outcome.clone()).await?;
        Ok(HandledAction::Handled(outcome))
    }

    fn approvals(&self) -> Result<&dyn Approvals, ServiceError> {
        self.approvals.as_deref().ok_or_else(|| {
            ServiceError::refused("agents_pending_action_no_store", "No pending action store is registered.")
        })
    }
}
