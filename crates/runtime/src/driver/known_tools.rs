//! Tools that were read before. An agent is started many times with the same ones, and to read and check
//! them costs more than many turns.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::{self, Object};
use provost_contract::tool::ToolCatalog;
use provost_policy::visibility::{self, ToolVisibility};
use serde_json::{Value, json};

use crate::engine::{Limits, Tools};

/// How many kinds of runs are remembered.
const KNOWN_MAX: usize = 16;

/// The tools of the kinds of runs that were started last, newest first.
#[derive(Default)]
pub(super) struct KnownTools(Mutex<Vec<(String, ReadTools)>>);

/// Tools as a run works by them.
#[derive(Clone, Debug)]
pub(super) struct ReadTools {
    /// The wire form of their catalog.
    pub(super) wire: Arc<Value>,
    /// Which of them the model sees, and by whose word.
    pub(super) visibility: Vec<Value>,
    /// What follows from them.
    pub(super) tools: Arc<Tools>,
}

impl KnownTools {
    /// Reads what was declared, unless it was read before.
    pub(super) fn read(&self, declared: &Value, policy: Option<&Object>, limits: Limits) -> ReadTools {
        // As text, for the order of tools counts as well.
        let asked = json!([declared, policy, limits]).to_string();
        self.find(&asked).unwrap_or_else(|| {
            let read = ReadTools::of(declared, policy, limits);
            self.keep(asked, read.clone());
            read
        })
    }

    fn find(&self, asked: &str) -> Option<ReadTools> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|(known, _)| known == asked)?;
        known.get_mut(..=place)?.rotate_right(1);
        known.first().map(|(_, read)| read.clone())
    }

    fn keep(&self, asked: String, read: ReadTools) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(KNOWN_MAX - 1);
        known.insert(0, (asked, read));
    }
}

impl ReadTools {
    fn of(declared: &Value, policy: Option<&Object>, limits: Limits) -> Self {
        let (catalog, visibility) = visible(declared, policy);
        let wire = Arc::new(catalog.to_value());
        let tools = Arc::new(Tools::of(&wire, policy.unwrap_or(&Object::new()), limits));
        Self { wire, visibility, tools }
    }
}

/// Leaves out the tools the run's policy hides, and says by whose word. The policy looks at what was
/// declared, not at what the catalog makes of it: a client's tool is known by its marks.
fn visible(declared: &Value, policy: Option<&Object>) -> (ToolCatalog, Vec<Value>) {
    let catalog = ToolCatalog::read(declared);
    let Some(policy) = policy else { return (catalog, Vec::new()) };
    let config = |_: &str| json::object(policy, "agent_config").cloned();
    let context = visibility::Context::parse(policy, config, Vec::new());
    let decided = visibility::resolve(&by_name(declared), &context, |_| Ok(None));
    let shown = |name: &str| decided.iter().any(|tool| tool.name == name && tool.is_visible());
    let told = |tool: &ToolVisibility| json!({ "tool_name": tool.name, "decision": tool.explained.decision.to_value() });
    (catalog.only(|tool| shown(tool.name().as_str())), decided.iter().map(told).collect())
}

/// The declarations by the names they are known by, whether they came as a list or as a map.
fn by_name(declared: &Value) -> Object {
    let named = |key: Option<&String>, entry: &Value| {
        let own = entry.get("name").and_then(Value::as_str).map(str::to_owned);
        Some((own.or_else(|| key.cloned())?, entry.clone()))
    };
    match declared {
        Value::Array(entries) => entries.iter().filter_map(|entry| named(None, entry)).collect(),
        Value::Object(entries) => entries.iter().filter_map(|(key, entry)| named(Some(key), entry)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(names: &[&str]) -> Value {
        names.iter().map(|name| json!({ "name": name, "description": "Looks." })).collect()
    }

    #[test]
    fn what_is_asked_for_again_is_not_read_again() {
        let known = KnownTools::default();
        let first = known.read(&declared(&["kb/a", "kb/b"]), None, Limits::default());
        let again = known.read(&declared(&["kb/a", "kb/b"]), None, Limits::default());
        assert!(Arc::ptr_eq(&first.tools, &again.tools));
    }

    #[test]
    fn another_order_policy_or_limit_is_another_question() {
        let known = KnownTools::default();
        let tools = declared(&["kb/a", "kb/b"]);
        let first = known.read(&tools, None, Limits::default());
        let policy = json::into_object(json!({ "deny": ["kb/a"] }));
        let shorter = Limits { tool_ms_max: 1, ..Limits::default() };
        for other in [
            known.read(&declared(&["kb/b", "kb/a"]), None, Limits::default()),
            known.read(&tools, Some(&policy), Limits::default()),
            known.read(&tools, None, shorter),
        ] {
            assert!(!Arc::ptr_eq(&first.tools, &other.tools));
        }
    }

    #[test]
    fn only_so_many_are_remembered() {
        let known = KnownTools::default();
        let read = |number: usize| known.read(&declared(&[&format!("kb/{number}")]), None, Limits::default());
        let (first, second) = (read(0), read(1));
        for number in 2..KNOWN_MAX {
            read(number);
        }
        assert!(Arc::ptr_eq(&first.tools, &read(0).tools), "the oldest is still there, and now the newest");
        read(KNOWN_MAX);
        assert!(!Arc::ptr_eq(&second.tools, &read(1).tools), "one too many pushed out the oldest");
    }
}
