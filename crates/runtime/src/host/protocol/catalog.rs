//! What a protocol agent may name in its declarations. The same object is shown to the model and used to check
//! what it answers.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::action::{ExecutorType, SideEffect};
use provost_contract::{ContractError, Result};
use provost_engine::{Agent, Digest, Verdict};
use provost_protocol::offer::{OfferedCarrier, protocol_prompt};
use provost_protocol::{ArgumentSchema, Catalog, Entry, Permission};
use serde_json::{Value, json};

/// How many agents are remembered.
const REMEMBERED_MAX: usize = 16;

/// What a model is offered, and what its declarations are checked against.
#[derive(Debug)]
pub(in crate::host) struct Speech {
    pub(in crate::host) catalog: Catalog,
    prompts: Mutex<Vec<(OfferedCarrier, Arc<str>)>>,
}

impl Speech {
    /// Reads the catalog of an agent: the tools that it sees, and the operations of the runtime.
    ///
    /// # Errors
    /// If the schema of a tool cannot be read.
    pub(in crate::host) fn of(agent: &Agent) -> Result<Self> {
        let mut entries = Vec::new();
        for tool in agent.catalog.tools() {
            let name = tool.name().as_str();
            let facts = agent.facts(name);
            let schema = Value::Object(tool.rules().model_schema());
            let mut entry = Entry::new(ExecutorType::Tool, name);
            entry.description = Some(tool.description().to_owned()).filter(|text| !text.is_empty());
            entry.capabilities.clone_from(&facts.categories);
            entry.idempotency = facts.idempotency;
            entry.side_effects = facts.effects;
            entry.permission = Some(match agent.ruling(name).decision {
                Verdict::Allow => Permission::Allow,
                Verdict::Ask => Permission::Ask,
                Verdict::Deny => Permission::Deny,
            });
            entry.input_schema =
                Some(ArgumentSchema::compile(&schema).map_err(|error| unreadable(name, &error))?);
            entries.push(entry);
        }
        entries.extend(operations()?);
        Ok(Self { catalog: Catalog::new(entries)?, prompts: Mutex::default() })
    }

    /// Returns the instructions for a model that carries its declarations in one of two ways.
    pub(in crate::host) fn prompt(&self, carrier: OfferedCarrier) -> Arc<str> {
        let mut prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = prompts.iter().find(|(known, _)| *known == carrier) {
            return known.clone();
        }
        let prompt: Arc<str> = protocol_prompt(&self.catalog, carrier).into();
        prompts.push((carrier, prompt.clone()));
        prompt
    }
}

fn unreadable(name: &str, error: &ContractError) -> ContractError {
    ContractError::with_message("invalid_catalog", format!("the parameters of {name}: {}", error.message()))
        .about(name)
}

/// Returns the operations of the runtime itself. They change nothing outside.
///
/// # Errors
/// If the schema of one cannot be read: a defect.
pub fn operations() -> Result<Vec<Entry>> {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let nothing = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let waits = json!({
        "type": "object",
        "properties": { "ms": { "type": "integer", "minimum": 0, "description": "How long, in milliseconds." } },
        "required": ["ms"],
        "additionalProperties": false,
    });
    let expands = json!({
        "type": "object",
        "properties": {
            "ref": text("The address: runtime://… or artifact://…, or artifact:<name>."),
            "reason": text("What for."),
            "range": { "type": "object", "description": "lines, around_matches with context_lines, or pointer." },
        },
        "required": ["ref"],
        "additionalProperties": false,
    });
    let known = [
        ("wait", "Waits for a time.", waits),
        (
            "merge",
            "Puts the results of its context_refs, or of its dependencies, into one object by name.",
            nothing.clone(),
        ),
        ("checkpoint", "Records where the work stands.", nothing.clone()),
        ("summarize", "Sums up its context_refs, or its dependencies, by counting and cutting.", nothing),
        ("expand_ref", "Reads more of a stored result.", expands),
    ];
    let entry = |(name, description, schema): (&str, &str, Value)| {
        let mut entry = Entry::new(ExecutorType::Runtime, name);
        entry.description = Some(description.to_owned());
        entry.side_effects = [SideEffect::None].into_iter().collect();
        entry.idempotency = provost_contract::action::Idempotency::Pure;
        entry.input_schema = Some(ArgumentSchema::compile(&schema)?);
        Ok(entry)
    };
    known.into_iter().map(entry).collect()
}

/// The offers of the agents that spoke last, newest first: reading the schemas of a catalog costs more than a turn.
#[derive(Debug, Default)]
pub(in crate::host) struct Speeches(Mutex<Vec<(Digest, Arc<Speech>)>>);

impl Speeches {
    /// Returns the offer of an agent, read now or before.
    ///
    /// # Errors
    /// If the schema of a tool cannot be read.
    pub(in crate::host) fn of(&self, agent: &Agent) -> Result<Arc<Speech>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(|(digest, _)| *digest == agent.digest) {
            known.get_mut(..=at).into_iter().for_each(|recent| recent.rotate_right(1));
        } else {
            let speech = Arc::new(Speech::of(agent)?);
            known.truncate(REMEMBERED_MAX - 1);
            known.insert(0, (agent.digest, speech));
        }
        let newest = known.first().map(|(_, speech)| speech.clone());
        newest.ok_or_else(|| ContractError::whole("invalid_catalog", "no agent is known"))
    }
}
