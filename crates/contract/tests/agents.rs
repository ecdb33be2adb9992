//! Agents: normal declarations and records stay so, and every declaration is materialised or refused.

use proptest::prelude::*;
use provost_contract::agent::{
    AgentDefinition, AgentIdentity, IdentityScope, InstalledAgent, MaterializationRequest, RuntimeOverrides,
};
use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

fn object(value: &Value) -> Object {
    json::into_object(value.clone())
}

#[test]
fn normal_agents_stay_as_they_are() {
    let registry = Corpus::of("registry");
    normalising_twice_changes_nothing(&registry.near("overrides"), |value| {
        Ok(json!(RuntimeOverrides::parse(&object(value))))
    });
    normalising_twice_changes_nothing(&registry.near("agent"), |value| {
        Ok(InstalledAgent::parse(&object(value))?.to_value())
    });
    normalising_twice_changes_nothing(&registry.near("args"), |value| {
        let mut wire = AgentDefinition::parse("coach", &object(value))?.to_value();
        // Who owns an agent is not part of its declaration's wire form, only that somebody says so.
        wire["has_owner_resolver"] = false.into();
        Ok(wire)
    });
}

#[test]
fn any_agent_is_materialised_or_refused() {
    let registry = Corpus::of("registry");
    let inputs = (registry.near("args"), registry.near("options"), registry.near("request"));
    check(&inputs, |(arguments, options, request)| {
        let Ok(agent) = AgentDefinition::parse("coach", &object(&arguments)) else { return Ok(()) };
        if let Ok(identity) = AgentIdentity::materialize(&agent, &object(&options), 1) {
            let wire = identity.to_value();
            let scope = IdentityScope::parse(&object(&wire));
            prop_assert_eq!(scope.map(|scope| scope.key()), Ok(identity.scope.key()));
        }
        if let Ok(request) = MaterializationRequest::parse(&agent, &object(&request)) {
            let mut alone = object(&request.to_value());
            alone.insert("adopt_default_config".into(), false.into());
            prop_assert_eq!(MaterializationRequest::parse(&agent, &alone), Ok(request));
        }
        Ok(())
    });
}
