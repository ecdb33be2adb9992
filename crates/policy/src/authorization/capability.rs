//! Whether a principal may use a capability.

use provost_contract::access::CapabilityCeiling;
use provost_contract::{ExecutionPrincipal, UserId};
use serde_json::json;

use super::Layer;
use super::ceiling::{AutonomousDenials, EffectiveCeiling, ceiling_allows, effective_ceiling};
use crate::decision::{Decision, Explained, Verdict};
use crate::hook::HookAnswer;

/// Decides over one capability. The ceiling must let it through, and the user it is bound to must hold
/// it; nobody holds anything. `host_ceiling` replaces the principal's ceiling, except that what the
/// principal's own ceiling denies stays denied. `holds` answers whether a user has a capability.
pub fn can(
    principal: &ExecutionPrincipal,
    capability: &str,
    host_ceiling: Option<&CapabilityCeiling>,
    denials: &AutonomousDenials,
    holds: impl FnOnce(UserId, &str) -> HookAnswer<Verdict>,
) -> Explained<Verdict> {
    let effective = match host_ceiling {
        Some(ceiling) => EffectiveCeiling { ceiling: Some(ceiling.clone()), rule: "host_ceiling" },
        None => effective_ceiling(principal, denials),
    };
    let replaced = host_ceiling.and(principal.capability_ceiling.as_ref());
    let own_denial = replaced.filter(|own| own.denies(capability.trim()));
    let mut said: Vec<_> = own_denial.map(|own| ceiling_allows(own, capability)).into_iter().collect();
    let bounding = effective.ceiling.unwrap_or_else(|| CapabilityCeiling::of_user(principal.acting_user_id));
    said.push(ceiling_allows(&bounding, capability).given("chosen_by", effective.rule));
    if said.iter().all(|decision| decision.verdict == Verdict::Allow) {
        said.push(held(bounding.user_id, capability.trim(), holds));
    }
    let silence = Decision::new(Verdict::Deny, Layer::Ceiling, "nobody_spoke", "no layer allowed it");
    Explained::strictest(said, silence)
}

fn held(
    user: UserId,
    capability: &str,
    holds: impl FnOnce(UserId, &str) -> HookAnswer<Verdict>,
) -> Decision<Verdict> {
    let decided = |verdict, rule: &'static str, reason: &str| {
        let decision = Decision::new(verdict, Layer::User, rule, reason);
        decision.given("capability", capability).given("user_id", json!(user))
    };
    if !user.is_somebody() {
        return decided(Verdict::Deny, "nobody", "no user stands behind the request");
    }
    match holds(user, capability) {
        Ok(Some(Verdict::Allow)) => decided(Verdict::Allow, "held", "the user holds the capability"),
        Ok(Some(Verdict::Deny) | None) => {
            decided(Verdict::Deny, "not_held", "the user does not hold the capability")
        }
        Err(failure) => {
            decided(Verdict::Deny, "check_failed", &format!("the host checks the user, and {failure}"))
        }
    }
}
