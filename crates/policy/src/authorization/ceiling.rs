//! The ceiling that really applies, and what it lets through.

use provost_contract::access::CapabilityCeiling;
use provost_contract::principal::AutonomousSources;
use provost_contract::{ExecutionPrincipal, json};
use serde_json::{Value, json};

use super::Layer;
use crate::decision::{Decision, Verdict};

/// What automation may not do unless its ceiling says what it may.
const USUAL_DENIALS: [&str; 27] = [
    "content.edit",
    "edit_others_posts",
    "edit_published_posts",
    "content.publish",
    "delete_posts",
    "delete_others_posts",
    "delete_published_posts",
    "edit_pages",
    "edit_others_pages",
    "edit_published_pages",
    "publish_pages",
    "delete_pages",
    "delete_others_pages",
    "delete_published_pages",
    "manage_categories",
    "system.manage",
    "upload_files",
    "unfiltered_html",
    "edit_themes",
    "update_themes",
    "edit_plugins",
    "update_plugins",
    "install_plugins",
    "activate_plugins",
    "create_users",
    "delete_users",
    "promote_users",
];

/// The capabilities automation is denied by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutonomousDenials(Vec<String>);

impl AutonomousDenials {
    /// A host's own list, instead of the usual one; blanks and repetitions are dropped.
    pub fn listed(names: &Value) -> Self {
        Self(json::string_list(names))
    }
}

impl Default for AutonomousDenials {
    fn default() -> Self {
        Self(USUAL_DENIALS.map(str::to_owned).into())
    }
}

/// A ceiling and the rule that chose it.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveCeiling {
    /// None: only the acting user bounds the request.
    pub ceiling: Option<CapabilityCeiling>,
    pub rule: &'static str,
}

/// Chooses the ceiling of a principal. Automation whose ceiling says neither what it may nor what it may
/// not gets the safe default: a token without a list is not a token for everything.
pub fn effective_ceiling(principal: &ExecutionPrincipal, denials: &AutonomousDenials) -> EffectiveCeiling {
    let own = principal.capability_ceiling.clone();
    let is_explicit = |ceiling: &CapabilityCeiling| {
        ceiling.allowed_capabilities().is_some() || ceiling.denied_capabilities().is_some()
    };
    if own.as_ref().is_some_and(is_explicit) {
        return EffectiveCeiling { ceiling: own, rule: "own_ceiling" };
    }
    if !principal.is_autonomous(&AutonomousSources::default()) {
        return EffectiveCeiling { ceiling: own, rule: "unrestricted" };
    }
    EffectiveCeiling { ceiling: Some(safe_default(principal, denials)), rule: "autonomous_safe_default" }
}

fn safe_default(principal: &ExecutionPrincipal, denials: &AutonomousDenials) -> CapabilityCeiling {
    let mut ceiling = CapabilityCeiling::of_user(principal.acting_user_id).denying(&denials.0);
    ceiling.metadata.insert("autonomous_safe_default".into(), json!(true));
    ceiling.metadata.insert("source".into(), json!("agent_autonomous_capability_policy"));
    ceiling
}

/// Whether a ceiling lets a capability through. The capability is trimmed, the lists are taken as they
/// are written.
pub fn ceiling_allows(ceiling: &CapabilityCeiling, capability: &str) -> Decision<Verdict> {
    let capability = capability.trim();
    let (verdict, rule, reason) = match ceiling.allowed_capabilities() {
        _ if capability.is_empty() => (Verdict::Deny, "no_capability", "no capability is named"),
        _ if ceiling.denies(capability) => (Verdict::Deny, "denied", "the ceiling denies the capability"),
        None => (Verdict::Allow, "unrestricted", "the ceiling has no allow-list"),
        Some(allowed) if allowed.iter().any(|member| member == capability) => {
            (Verdict::Allow, "allowed", "the ceiling allows the capability")
        }
        Some(_) => (Verdict::Deny, "not_allowed", "the ceiling allows other capabilities only"),
    };
    Decision::new(verdict, Layer::Ceiling, rule, reason).given("capability", capability)
}
