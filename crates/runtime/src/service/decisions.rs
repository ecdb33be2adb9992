//! Deciding about what waits: once, in time, by somebody who may.

use provost_contract::approval::{PendingAction, PendingActionStatus, Resolution, Verdict};
use provost_contract::json::Object;
use provost_contract::{ContractError, timestamp};
use serde_json::Value;

use crate::engine::Remember;
use crate::port::{Approvals, Decided, Fault};

/// What somebody says to a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// Who says so.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
    /// The arguments to run with instead.
    pub parameters: Option<Object>,
    /// How long the same rule need not ask about the same tool.
    pub remember: Remember,
    /// What came of a call that was in doubt, from somebody who looked.
    pub result: Option<Value>,
    /// Where the decision came from, as the host can prove it: user id, terminal, process. Recorded with it.
    pub origin: Option<Value>,
}

impl Decision {
    /// Yes.
    pub fn accept(by: impl Into<String>) -> Self {
        Self::new(Verdict::Accepted, by.into())
    }

    /// No.
    pub fn reject(by: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::new(Verdict::Rejected, by.into()) }
    }

    fn new(verdict: Verdict, by: String) -> Self {
        let (reason, remember) = (String::new(), Remember::No);
        Self { verdict, by, reason, parameters: None, remember, result: None, origin: None }
    }

    fn metadata(&self) -> Object {
        let said = [
            ("reason", Some(Value::from(self.reason.as_str())).filter(|_| !self.reason.is_empty())),
            ("parameters", self.parameters.clone().map(Value::Object)),
            ("remember", Some(Value::from(self.remember)).filter(|_| !self.remember.is_no())),
            ("result", self.result.clone()),
            ("origin", self.origin.clone()),
        ];
        said.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// Why a decision does not count. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    #[error("nothing waits under {0}")]
    Unknown(String),
    /// Somebody was first, or time was.
    #[error("{action_id} was {decision} before{}", by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default())]
    Late { action_id: String, decision: &'static str, by: Option<String>, at: Option<String> },
    #[error("{by} may not decide about {action_id}: {approvers:?} may")]
    NotAllowed { action_id: String, by: String, approvers: Vec<String> },
    /// Whoever proposed something does not allow it to itself.
    #[error("{by} proposed {action_id} and cannot allow it")]
    OwnProposal { action_id: String, by: String },
    /// A rule that forbids cannot tell whether it means this call.
    #[error("{action_id} asks about exactly this call, so the answer cannot be remembered")]
    ExactlyThisCall { action_id: String },
    #[error(transparent)]
    Invalid(#[from] ContractError),
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// Records a decision, if it is the first, in time, and by somebody who may decide.
///
/// # Errors
/// Why it does not count.
pub async fn decide(
    approvals: &dyn Approvals,
    action_id: &str,
    decision: &Decision,
    now_ms: i64,
) -> Result<PendingAction, DecideError> {
    let now = timestamp::iso8601(now_ms.div_euclid(1_000));
    let unknown = || DecideError::Unknown(action_id.to_owned());
    let mut action = approvals.get(action_id, Decided::Included).await?.ok_or_else(unknown)?;
    if action.expires_at.as_ref().is_some_and(|end| timestamp::is_not_after(end, &now)) {
        approvals.expire(&now).await?;
        action = approvals.get(action_id, Decided::Included).await?.ok_or_else(unknown)?;
    }
    in_time(&action)?;
    may_decide(&action, &decision.by)?;
    if action.is_person_only() && !decision.remember.is_no() {
        return Err(DecideError::ExactlyThisCall { action_id: action_id.to_owned() });
    }
    let mut resolution = Resolution::new(decision.verdict, &decision.by, &now)?;
    resolution.metadata = decision.metadata();
    if approvals.record_resolution(action_id, resolution).await? {
        return approvals.get(action_id, Decided::Included).await?.ok_or_else(unknown);
    }
    // Somebody was faster.
    in_time(&approvals.get(action_id, Decided::Included).await?.ok_or_else(unknown)?)?;
    Err(unknown())
}

fn in_time(action: &PendingAction) -> Result<(), DecideError> {
    let decision = match action.status() {
        PendingActionStatus::Pending => return Ok(()),
        PendingActionStatus::Accepted => "accepted",
        PendingActionStatus::Rejected => "rejected",
        PendingActionStatus::Expired => "expired",
        PendingActionStatus::Deleted => "withdrawn",
    };
    Err(DecideError::Late {
        action_id: action.action_id().to_owned(),
        decision,
        by: action.resolver().map(str::to_owned),
        at: action.resolved_at().map(str::to_owned),
    })
}

fn may_decide(action: &PendingAction, by: &str) -> Result<(), DecideError> {
    let action_id = action.action_id().to_owned();
    if action.creator.as_deref() == Some(by) {
        return Err(DecideError::OwnProposal { action_id, by: by.to_owned() });
    }
    let approvers = action.approvers();
    if approvers.is_empty() || approvers.iter().any(|approver| approver == by) {
        return Ok(());
    }
    Err(DecideError::NotAllowed { action_id, by: by.to_owned(), approvers })
}
