//! The locations of policy entries and rules.
//!
//! A location is not part of a rule: a rule that moves to another line is the same rule.

use std::collections::BTreeMap;

use provost_policy::action_policy::Layer;
use provost_policy::{ActionPolicy, Decision, SOURCE};

use crate::config::{AgentFile, Project};

/// The locations of entries and rules, such as `provost.toml:38`, by layer and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(BTreeMap<(&'static str, String), String>);

impl Sources {
    pub(crate) fn of(project: &Project, agent: Option<&AgentFile>) -> Self {
        let policy = &project.file.policy;
        let rules = policy.rule_set.rules().iter().map(|rule| rule.name().to_owned());
        let parts: [(Layer, &str, Vec<String>); 3] = [
            (Layer::ToolPolicy, "tools", policy.tools.keys().cloned().collect()),
            (Layer::CategoryPolicy, "categories", policy.categories.keys().cloned().collect()),
            (Layer::Rule, "rules", rules.collect()),
        ];
        let places = project.own_places();
        let mut sources = Self::default();
        for (layer, part, names) in parts {
            for name in names {
                // An entry without a location is a default.
                if let Some(place) = places.place(&["policy", part, &name].map(str::to_owned)) {
                    sources.0.insert((layer.into(), name), place.to_owned());
                }
            }
        }
        for (agent, tool) in
            agent.into_iter().flat_map(|agent| agent.head.policy.keys().map(move |tool| (agent, tool)))
        {
            sources.0.insert((Layer::Agent.into(), tool.clone()), agent.place("policy", tool));
        }
        sources
    }

    /// Returns the location of a rule.
    pub(crate) fn rule(&self, name: &str) -> Option<&str> {
        self.get(Layer::Rule.into(), name)
    }

    fn get(&self, layer: &'static str, name: &str) -> Option<&str> {
        self.0.get(&(layer, name.to_owned())).map(String::as_str)
    }

    /// Adds the location of the deciding entry to a decision.
    pub(crate) fn add(&self, tool: &str, mut decision: Decision<ActionPolicy>) -> Decision<ActionPolicy> {
        let category = decision.inputs.get("category").and_then(|category| category.as_str());
        let name = match category {
            Some(category) => category,
            None if decision.layer == <&str>::from(Layer::ToolPolicy) => tool,
            None => &decision.rule,
        };
        if let Some(place) = self.get(decision.layer, name) {
            decision.inputs.insert(SOURCE.to_owned(), place.into());
        }
        decision
    }
}

#[cfg(test)]
mod tests {
    use provost_contract::json::Object;
    use provost_runtime::port::PolicyProvider as _;
    use serde_json::json;

    use super::*;
    use crate::policy::ProjectPolicy;

    const RULES: &str = "[policy.tools]\n\"fs/edit\" = \"ask\"\n\n[[policy.rules]]\nname = \"secrets-stay\"\n\
                         decision = \"deny\"\nreason = \"no\"\npath = \"secrets/**\"\n\
                         matches = [{ tool = \"fs/read\", arguments = { path = \"secrets/key\" } }]\n";

    fn policy(before: &str) -> ProjectPolicy {
        policy_of(&format!("{before}{RULES}"))
    }

    fn policy_of(text: &str) -> ProjectPolicy {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("agents")).unwrap();
        std::fs::write(folder.path().join("provost.toml"), text).unwrap();
        let agent = "---\npolicy:\n  fs/list: deny\n---\nHelp.\n";
        std::fs::write(folder.path().join("agents/a.md"), agent).unwrap();
        let project = Project::open(folder.path()).unwrap();
        project.policy(Some(&project.agent(None).unwrap())).unwrap()
    }

    #[test]
    fn a_rule_on_another_line_has_another_place_and_is_the_same_rule() {
        let place = |policy: &ProjectPolicy, tool: &str, path: &str| {
            let arguments = Object::from_iter([("path".to_owned(), json!(path))]);
            let decision = policy.decide(tool, &json!({ "categories": ["write"] }), &arguments).decision;
            decision.source().map(str::to_owned)
        };
        let (one, other) = (policy(""), policy("# one more line\n"));
        let places = |policy: &ProjectPolicy| {
            let calls = [("fs/edit", "x"), ("fs/read", "secrets/key"), ("fs/list", "x"), ("fs/write", "x")];
            calls.map(|(tool, path)| place(policy, tool, path).unwrap_or_default())
        };
        assert_eq!(places(&one), ["provost.toml:2", "provost.toml:4", "agents/a.md:3", ""]);
        assert_eq!(places(&other), ["provost.toml:3", "provost.toml:5", "agents/a.md:3", ""]);
        assert_eq!(one.version(), other.version(), "what was asked and allowed before holds");
        assert_ne!(one.version(), policy("[tools]\nshell = false\n\n").version(), "the control");
    }

    #[test]
    fn a_policy_that_decided_about_calls_has_the_version_of_an_unused_one() {
        let (used, unused) = (policy(""), policy(""));
        for path in ["secrets/key", "x"] {
            let arguments = Object::from_iter([("path".to_owned(), json!(path))]);
            used.decide("fs/read", &json!({ "categories": ["read"] }), &arguments);
        }
        let elsewhere = std::thread::spawn(|| policy("").version()).join().unwrap();
        assert_eq!((used.version(), elsewhere), (unused.version(), unused.version()));
        let other = unused.version();
        let changed = RULES.replace("secrets/**", "secret/**").replace("secrets/key", "secret/key");
        assert_ne!(policy_of(&changed).version(), other, "the control");
    }
}
