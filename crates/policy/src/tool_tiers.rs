//! Which visible tools a model gets in full, and which only as a line of a manifest.

use provost_contract::json::{self, Object};
use provost_contract::loose;
use serde_json::{Value, json};
use strum::IntoStaticStr;

use crate::tool;

/// How many tools are sent in full when nobody says otherwise.
pub const HARD_CAP_DEFAULT: i64 = 15;

/// What a run wants of its tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierRequest {
    favourites: Vec<String>,
    workspace: String,
    /// At least one.
    cap: usize,
}

/// Why a tool is in the first tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Promotion {
    /// The run asks for it.
    Favourite,
    /// The workspace uses it most.
    Usage,
    /// It is declared mandatory.
    Mandatory,
    /// There was room.
    Room,
}

/// The split of the visible tools. Every tool is in exactly one tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiers {
    /// In full, best first.
    pub tier_1: Vec<(String, Promotion)>,
    /// In the order of the tools.
    pub tier_2: Vec<String>,
    manifest: Vec<Value>,
}

impl TierRequest {
    /// Reads a runtime context; its own cap beats the one given, and no cap is below one.
    pub fn parse(context: &Object, hard_cap: i64) -> Self {
        let own_cap = context.get("tool_tier_hard_cap").and_then(loose::integer);
        let of_workspace = json::object(context, "workspace").and_then(|workspace| workspace.get("id"));
        let workspace = json::present(context, "workspace_id").or(of_workspace);
        Self {
            favourites: context.get("tier_1_tools").map(json::string_list).unwrap_or_default(),
            workspace: workspace.and_then(loose::scalar).unwrap_or_default(),
            cap: usize::try_from(own_cap.unwrap_or(hard_cap).max(1)).unwrap_or(usize::MAX),
        }
    }

    /// The workspace whose usage counts.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// How many names of the most used tools are worth asking for.
    pub fn cap(&self) -> usize {
        self.cap
    }

    /// Splits the tools; `most_used` are the names the workspace uses most, most used first.
    pub fn split(&self, tools: &Object, most_used: &[String]) -> Tiers {
        let mut tier_1: Vec<(String, Promotion)> = Vec::new();
        for (name, why) in self.candidates(tools, most_used) {
            let new = tools.contains_key(name) && !tier_1.iter().any(|(known, _)| known == name);
            if new && tier_1.len() < self.cap {
                tier_1.push((name.to_owned(), why));
            }
        }
        let rest: Vec<(&String, &Value)> =
            tools.iter().filter(|(name, _)| !tier_1.iter().any(|(known, _)| known == *name)).collect();
        Tiers {
            manifest: rest.iter().map(|(name, declaration)| manifest_line(name, declaration)).collect(),
            tier_2: rest.into_iter().map(|(name, _)| name.clone()).collect(),
            tier_1,
        }
    }

    fn candidates<'a>(
        &'a self,
        tools: &'a Object,
        most_used: &'a [String],
    ) -> impl Iterator<Item = (&'a str, Promotion)> {
        let is_mandatory = |(_, declaration): &(&String, &Value)| {
            declaration.as_object().is_some_and(tool::is_declared_mandatory)
        };
        let favourites = self.favourites.iter().map(|name| (name.as_str(), Promotion::Favourite));
        let used = most_used.iter().take(self.cap).map(|name| (name.as_str(), Promotion::Usage));
        let mandatory =
            tools.iter().filter(is_mandatory).map(|(name, _)| (name.as_str(), Promotion::Mandatory));
        let all = tools.keys().map(|name| (name.as_str(), Promotion::Room));
        favourites.chain(used).chain(mandatory).chain(all)
    }
}

impl Tiers {
    /// Returns the lines of the second tier: name, summary and required fields of each tool.
    pub fn manifest(&self) -> &[Value] {
        &self.manifest
    }

    /// The wire form: names of both tiers, and the manifest of the second.
    pub fn to_value(&self) -> Value {
        let tier_1: Vec<&str> = self.tier_1.iter().map(|(name, _)| name.as_str()).collect();
        json!({ "tier_1": tier_1, "tier_2": self.tier_2, "manifest": self.manifest })
    }
}

fn manifest_line(name: &str, declaration: &Value) -> Value {
    let required = declaration.get("parameters").and_then(|parameters| parameters.get("required"));
    json!({
        "name": name,
        "summary": declaration.get("description").and_then(loose::text).unwrap_or_default(),
        "required_fields": required.map(json::string_list).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_cannot_promote_its_own_tool() {
        let promoted = |declaration: Value| {
            let tools = json!({ "a/first": {}, "b/second": declaration });
            let request = TierRequest::parse(&Object::new(), 1);
            request.split(tools.as_object().unwrap(), &[]).tier_1
        };
        assert_eq!(promoted(json!({"mandatory": true})), [("b/second".to_owned(), Promotion::Mandatory)]);
        for mark in [json!({"executor": "client"}), json!({"scope": "run"})] {
            let mut declaration = mark;
            declaration["mandatory"] = json!(true);
            assert_eq!(promoted(declaration), [("a/first".to_owned(), Promotion::Room)]);
        }
    }
}
