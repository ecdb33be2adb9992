//! Whether a principal may reach an agent in a role.

use provost_contract::ExecutionPrincipal;
use provost_contract::access::{AccessGrant, Role};

use super::Layer;
use crate::decision::{Decision, Verdict};
use crate::hook::HookAnswer;

/// The audience everybody belongs to.
const PUBLIC: &str = "audience:public";

/// Whether everybody counts as one of the public audience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PublicAudience {
    #[default]
    Included,
    Excluded,
}

/// What the host's grant store knows about an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grants<'a> {
    /// The host keeps no grants.
    NoStore,
    /// Grants to users only.
    OfUsers(&'a [AccessGrant]),
    /// Grants to users and audiences.
    OfUsersAndAudiences(&'a [AccessGrant]),
}

/// Who wants to reach which agent, and as what.
#[derive(Clone, Copy, Debug)]
pub struct AccessQuestion<'a> {
    pub principal: &'a ExecutionPrincipal,
    pub agent_id: &'a str,
    pub minimum_role: &'a str,
    pub public_audience: PublicAudience,
}

/// The audiences whose grants apply to a principal, its own first.
pub fn access_audiences(principal: &ExecutionPrincipal, public: PublicAudience) -> Vec<&str> {
    let everybody = match public {
        PublicAudience::Included => Some(PUBLIC),
        PublicAudience::Excluded => None,
    };
    let mut audiences: Vec<&str> = principal.audience_id().into_iter().chain(everybody).collect();
    audiences.dedup();
    audiences
}

/// Decides over access to an agent. A principal reaches its own agent in any role; any other needs a
/// grant in exactly its workspace. The host may overrule both ways, but is not asked about nonsense.
pub fn can_access_agent(
    question: AccessQuestion<'_>,
    grants: Grants<'_>,
    host: HookAnswer<Verdict>,
) -> Decision<Verdict> {
    let decided = |verdict, layer: Layer, rule: &'static str, reason: &str| {
        let decision = Decision::new(verdict, layer, rule, reason);
        decision.given("agent_id", question.agent_id).given("minimum_role", question.minimum_role)
    };
    if question.agent_id.trim().is_empty() {
        return decided(Verdict::Deny, Layer::Grant, "no_agent", "no agent is named");
    }
    if Role::from_word(question.minimum_role).is_none() {
        return decided(Verdict::Deny, Layer::Grant, "unknown_role", "the role asked for does not exist");
    }
    match host {
        Ok(Some(Verdict::Allow)) => decided(Verdict::Allow, Layer::Host, "host_allows", "the host allows it"),
        Ok(Some(Verdict::Deny)) => decided(Verdict::Deny, Layer::Host, "host_denies", "the host denies it"),
        Err(failure) => {
            decided(Verdict::Deny, Layer::Host, "host_failed", &format!("the host decides, and {failure}"))
        }
        Ok(None) if question.agent_id == question.principal.effective_agent_id() => {
            decided(Verdict::Allow, Layer::Grant, "own_agent", "it is the principal's own agent")
        }
        Ok(None) => match granting(question, grants) {
            Some(grant) => decided(Verdict::Allow, Layer::Grant, "granted", "a grant gives the role")
                .given("role", <&str>::from(grant.role)),
            None => decided(Verdict::Deny, Layer::Grant, "not_granted", "no grant gives the role"),
        },
    }
}

/// The first grant for this agent, workspace and holder whose role is enough.
fn granting<'a>(question: AccessQuestion<'_>, grants: Grants<'a>) -> Option<&'a AccessGrant> {
    let principal = question.principal;
    let (all, audiences) = match grants {
        Grants::NoStore => return None,
        Grants::OfUsers(all) => (all, Vec::new()),
        Grants::OfUsersAndAudiences(all) => (all, access_audiences(principal, question.public_audience)),
    };
    let user = principal.acting_user_id;
    all.iter().find(|grant| {
        let of_user = user.is_somebody() && grant.user_id() == user;
        let of_audience = grant.audience_id().is_some_and(|audience| audiences.contains(&audience));
        grant.agent_id() == question.agent_id
            && grant.workspace_id == principal.workspace_id
            && (of_user || of_audience)
            && grant.role_meets(question.minimum_role)
    })
}
