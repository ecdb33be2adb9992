//! The agents of the worlds: one catalog whose tool names say how each tool is ruled.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolFacts;
use provost_engine::{Agent, AgentSpec, AskStyle, Digest, OnWait};
use serde_json::{Value, json};

use crate::Failure;

/// How a tool is ruled: the last part of its name. `flip` is asked about and `flop` allowed, until the
/// stricter policy denies both.
pub(super) const RULES: [&str; 5] = ["ok", "ask", "deny", "flip", "flop"];
/// What a tool does: the first part of its name.
const KINDS: [(&str, &str, &str); 9] = [
    ("read", "read", "none"),
    ("pure", "write", "pure"),
    ("keyed", "write", "keyed"),
    ("none", "write", "none"),
    ("prog", "write", "transactional"),
    ("loose", "write", "none"),
    ("agent", "write", "none"),
    ("human", "read", "none"),
    ("pipe", "write", "none"),
];

/// An agent, and the same under the stricter policy.
#[derive(Clone, Debug)]
pub(super) struct Persona {
    pub(super) agent: Arc<Agent>,
    pub(super) stricter: Arc<Agent>,
}

/// The agents of all worlds.
#[derive(Debug)]
pub(super) struct Agents {
    personas: Vec<Persona>,
}

/// Returns the policy in force: the one that agents were made for, or the stricter one.
pub(super) fn policy(strict: bool) -> Digest {
    Digest::of(if strict { b"stricter" } else { b"accepted" })
}

/// Returns the name of a tool of a kind that is ruled in a way.
pub(super) fn tool(kind: &str, rule: &str) -> String {
    format!("{}/{kind}-{rule}", if kind.starts_with("client") { "client" } else { "sim" })
}

impl Agents {
    pub(super) fn new() -> Result<Self, Failure> {
        let mut personas = Vec::new();
        for variant in 0..16_u32 {
            let agent = |strict| Agent::new(spec(variant, strict)).map(Arc::new);
            personas.push(Persona { agent: agent(false)?, stricter: agent(true)? });
        }
        Ok(Self { personas })
    }

    /// Returns an agent by its number; every number names one.
    pub(super) fn persona(&self, number: usize) -> Option<&Persona> {
        self.personas.get(number % self.personas.len().max(1))
    }
}

fn spec(variant: u32, strict: bool) -> AgentSpec {
    let has = |bit: u32| variant & (1 << bit) != 0;
    let summaries = || {
        json::into_object(
            json!({ "enabled": true, "max_messages": 6, "recent_messages": 3, "summary_role": "system" }),
        )
    };
    AgentSpec {
        name: format!("agent-{variant}"),
        instructions: vec![Arc::new(Message::text("system", "Do what is asked."))],
        models: (0..=u32::from(has(0))).map(|_| Object::new()).collect(),
        tools: json!({ "accepted": catalog() }),
        policy: rules(strict),
        ask: if has(1) { AskStyle::Together } else { AskStyle::Each },
        on_wait: if has(2) { OnWait::AskModel } else { OnWait::Park },
        compaction: has(3).then(summaries),
        ..AgentSpec::default()
    }
}

fn catalog() -> Vec<Value> {
    let host = KINDS.iter().flat_map(|(kind, effect, idempotency)| {
        RULES.map(|rule| {
            json!({
                "name": tool(kind, rule),
                "description": "A tool.",
                "side_effects": [effect],
                "idempotency": idempotency,
                "on_timeout": if *kind == "none" && rule == "ok" { "ask" } else { "tell" },
            })
        })
    });
    let client = [("client-read", "read"), ("client-write", "write")];
    let client = client.iter().flat_map(|(kind, effect)| {
        RULES.map(|rule| {
            json!({
                "name": tool(kind, rule),
                "description": "A tool of a client.",
                "executor": "client",
                "side_effects": [effect],
            })
        })
    });
    host.chain(client).collect()
}

/// What the settings say. A tool that is not named is allowed unless a hook says otherwise.
fn rules(strict: bool) -> Object {
    let kinds = KINDS.iter().map(|(kind, ..)| *kind).chain(["client-read", "client-write"]);
    let mut tools = Object::new();
    for kind in kinds {
        tools.insert(tool(kind, "ask"), "preview".into());
        tools.insert(tool(kind, "deny"), "forbidden".into());
        tools.insert(tool(kind, "flip"), if strict { "forbidden" } else { "preview" }.into());
        if strict {
            tools.insert(tool(kind, "flop"), "forbidden".into());
        }
    }
    json::into_object(json!({ "action_policy": { "tools": tools } }))
}

/// Returns what a kind of tool does to the world, as its declaration says.
pub(super) fn facts(agents: &Agents, name: &str) -> ToolFacts {
    agents.persona(0).map(|persona| persona.agent.facts(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use provost_engine::Verdict;

    use super::*;

    #[test]
    fn the_name_of_a_tool_says_how_it_is_ruled() {
        let agents = Agents::new().unwrap();
        let persona = agents.persona(3).unwrap();
        for (kind, ..) in KINDS {
            let ruled = |rule: &str| persona.agent.ruling(&tool(kind, rule)).decision;
            let strictly = |rule: &str| persona.stricter.ruling(&tool(kind, rule)).decision;
            assert_eq!(
                RULES.map(ruled),
                [Verdict::Allow, Verdict::Ask, Verdict::Deny, Verdict::Ask, Verdict::Allow]
            );
            assert_eq!((strictly("flip"), strictly("flop")), (Verdict::Deny, Verdict::Deny));
            assert!(persona.agent.has(&tool(kind, "ok")), "{kind}");
        }
        assert!(persona.agent.has(&tool("client-read", "ok")));
    }
}
