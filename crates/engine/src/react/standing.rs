//! Which standing approval spares an action its question.

use serde_json::{Value, json};

use super::ruling::ruling_of;
use crate::defect::{self, Defect};
use crate::event::Remember;
use crate::state::{Action, RunState};
use crate::{Actor, ApprovalScope, Covers, PLACE, StandingApproval, Time, enclosing};

impl RunState {
    /// Returns the scope of the standing approval that covers an action; the widest if several do.
    pub(super) fn standing_for(&self, action: &Action, now: Time) -> Option<String> {
        let places = self.place(action);
        let places: Vec<Covers> = places
            .iter()
            .flat_map(|place| enclosing(place))
            .map(|place| Covers::Place(place.into()))
            .collect();
        let wide = std::iter::once(Covers::Tool).chain(places.into_iter().rev());
        let scopes = wide.chain([Covers::Call]).map(|covers| self.standing_scope(action, &covers));
        scopes.into_iter().find(|scope| self.standing_counts(scope, now))
    }

    /// Returns the scope of a standing approval: what it covers, as one text.
    pub(crate) fn standing_scope(&self, action: &Action, covers: &Covers) -> String {
        let ruling = self.accepted_ruling(action);
        let principal = &self.spec.principal;
        let owner = ["owner_type", "owner_key"].map(|key| principal.get(key).cloned().unwrap_or_default());
        let user = principal.get("acting_user_id").cloned().unwrap_or_default();
        let calls = match covers {
            Covers::Tool => None,
            Covers::Call if defect::is(Defect::StandingCoversAll) => None,
            Covers::Call => Some(json!({ "call": action.args.raw })),
            Covers::Place(place) => Some(json!({ "place": place })),
        };
        let scope = ApprovalScope {
            workspace: self.spec.workspace.clone(),
            owner,
            user,
            agent: self.spec.agent.clone(),
            tool: action.spec.operation.clone(),
            layer: ruling.source.clone(),
            rule: ruling.rule.clone(),
            calls,
        };
        scope.to_text()
    }

    /// Returns the approval that an answer grants about an action.
    pub(crate) fn granted(
        &self,
        action: &Action,
        remember: &Remember,
        (by, at, reason): (&Actor, Time, &str),
    ) -> StandingApproval {
        StandingApproval {
            scope: self.standing_scope(action, &remember.covers),
            tool: action.spec.operation.clone(),
            covers: remember.covers.clone(),
            until: remember.lasts.end(),
            by: by.clone(),
            at,
            run: self.spec.run.clone(),
            action: Some(action.spec.id),
            reason: Some(reason).filter(|reason| !reason.is_empty()).map(str::to_owned),
        }
    }

    /// Returns the file or folder that an action is about, as the policy found it for exactly these arguments.
    pub(crate) fn place(&self, action: &Action) -> Option<String> {
        let ruling = self.bound(action.ruled.as_ref(), action).and_then(ruling_of)?;
        ruling.inputs.get(PLACE).and_then(Value::as_str).map(str::to_owned)
    }

    /// Returns whether an approval may outlive the run: the run says whose it is, by a workspace, an agent and a
    /// user.
    pub(crate) fn has_owner(&self) -> bool {
        let user = self.spec.principal.get("acting_user_id").and_then(Value::as_u64);
        !self.spec.workspace.is_empty() && !self.spec.agent.is_empty() && user.is_some_and(|user| user > 0)
    }

    /// Returns whether a standing approval holds now. An actor who may no longer answer questions has no standing
    /// approvals either.
    fn standing_counts(&self, scope: &str, now: Time) -> bool {
        let approvers = &self.agent.spec.approvers;
        let mut granted = self.standing.get(scope).into_iter().chain(self.remembered.get(scope));
        granted.any(|approval| {
            let in_time = approval.holds_at(now) || defect::is(Defect::StandingNeverEnds);
            in_time && (approvers.is_empty() || approvers.contains(&approval.by.id))
        })
    }
}
