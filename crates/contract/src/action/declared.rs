//! The normal form every request for work is brought to.

use serde_json::{Value, json};

use super::policies::Policies;
use super::{
    ActionId, CODE, Condition, ContextRef, ExecutorRef, FailurePolicy, ForEach, Prompt, Reference, Repeat,
    Resource, ResultPolicy,
};
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

const KEYS: [&str; 20] = [
    "id",
    "title",
    "description",
    "reason",
    "operation",
    "executor",
    "input",
    "depends_on",
    "context_refs",
    "prompt",
    "prompt_ref",
    "prompt_hash",
    "result_policy",
    "persist",
    "failure_policy",
    "when",
    "repeat",
    "for_each",
    "resources",
    "policies",
];

/// One unit of work in normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name in the graph.
    pub id: ActionId,
    /// What people see; the id when nobody gave one.
    pub title: String,
    /// What it does.
    pub description: Option<String>,
    /// Why it is there.
    pub reason: Option<String>,
    /// The verb: a tool's name, `delegate`, or the model's own word.
    pub operation: Option<String>,
    /// Who is asked.
    pub executor: ExecutorRef,
    /// Structured values for the executor; [`resolve_input`](super::resolve_input) makes them its arguments.
    pub input: Object,
    /// What must have ended first.
    pub depends_on: Vec<ActionId>,
    /// Background.
    pub context_refs: Vec<ContextRef>,
    /// The task text.
    pub prompt: Option<Prompt>,
    /// What the model wants to see of the result.
    pub result_policy: ResultPolicy,
    /// Whether it must survive a restart.
    pub persist: bool,
    /// What happens when it fails.
    pub failure_policy: FailurePolicy,
    /// All must hold, else it is canceled.
    pub when: Vec<Condition>,
    /// A bounded loop.
    pub repeat: Option<Repeat>,
    /// One execution for every item of a list; never beside `repeat`.
    pub for_each: Option<ForEach>,
    /// What it reads and writes.
    pub resources: Vec<Resource>,
    /// What it says of its own limits.
    pub policies: Policies,
}

impl Action {
    /// An action with an id and defaults for everything else.
    pub fn new(id: ActionId) -> Self {
        Self {
            title: id.to_string(),
            id,
            description: None,
            reason: None,
            operation: None,
            executor: ExecutorRef::default(),
            input: Object::new(),
            depends_on: Vec::new(),
            context_refs: Vec::new(),
            prompt: None,
            result_policy: ResultPolicy::default(),
            persist: false,
            failure_policy: FailurePolicy::default(),
            when: Vec::new(),
            repeat: None,
            for_each: None,
            resources: Vec::new(),
            policies: Policies::default(),
        }
    }

    /// Reads the normal form; what is left out takes its default.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "action must be an object"));
        };
        read::only_keys(CODE, "", raw, &KEYS)?;
        let mut action = Self::new(ActionId::parse(read::text(raw, "id").unwrap_or_default())?);
        let text = |key| read::optional_text(CODE, key, raw);
        if let Some(title) = text("title")? {
            action.title = title;
        }
        action.description = text("description")?;
        action.reason = text("reason")?;
        action.operation = text("operation")?;
        action.prompt = parse_prompt(raw)?;
        action.input = read::optional_object(CODE, "input", raw)?;
        action.read_graph(raw)?;
        action.read_policies(raw)?;
        Ok(action)
    }

    fn read_graph(&mut self, raw: &Object) -> Result<()> {
        if let Some(executor) = read::present(raw, "executor") {
            self.executor = ExecutorRef::parse(executor)?;
        }
        if let Some(ids) = read::present(raw, "depends_on") {
            let ids = read::texts(CODE, "depends_on", ids)?;
            self.depends_on = ids.iter().map(|id| ActionId::parse(id)).collect::<Result<_>>()?;
        }
        if let Some(references) = read::list(raw, "context_refs") {
            self.context_refs = references.iter().map(ContextRef::parse).collect::<Result<_>>()?;
        }
        if let Some(resources) = read::present(raw, "resources") {
            self.resources = Resource::parse_all(resources)?;
        }
        Ok(())
    }

    fn read_policies(&mut self, raw: &Object) -> Result<()> {
        if let Some(policy) = read::present(raw, "result_policy") {
            self.result_policy = ResultPolicy::parse(policy)?;
        }
        if let Some(policy) = read::present(raw, "failure_policy") {
            self.failure_policy = FailurePolicy::parse(policy)?;
        }
        if let Some(conditions) = read::present(raw, "when") {
            self.when = Condition::parse_all(conditions)?;
        }
        if let Some(policies) = read::present(raw, "policies") {
            self.policies = Policies::parse(policies)?;
        }
        self.read_loops(raw)?;
        self.persist = match read::present(raw, "persist") {
            None => false,
            Some(Value::Bool(persist)) => *persist,
            Some(_) => return Err(ContractError::field(CODE, "persist", "must be true or false")),
        };
        Ok(())
    }

    /// Reads `repeat` and `for_each`; an action has one of them at most.
    pub fn read_loops(&mut self, raw: &Object) -> Result<()> {
        self.repeat = read::present(raw, "repeat").map(Repeat::parse).transpose()?;
        self.for_each = read::present(raw, "for_each").map(ForEach::parse).transpose()?;
        if self.repeat.is_some() && self.for_each.is_some() {
            let reason = "cannot stand beside repeat: an action has one loop, so give each its own action";
            return Err(ContractError::field(CODE, "for_each", reason));
        }
        Ok(())
    }

    /// The wire form. `when`, `repeat`, `for_each`, `resources`, `policies` and the source of the prompt
    /// stand only where they were declared.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "id": self.id,
            "title": self.title,
            "description": self.description,
            "reason": self.reason,
            "operation": self.operation,
            "executor": self.executor.to_value(),
            "input": self.input,
            "depends_on": self.depends_on,
            "context_refs": self.context_refs.iter().map(ContextRef::to_value).collect::<Value>(),
            "prompt": self.prompt.as_ref().map(|prompt| prompt.text.as_str()),
            "result_policy": self.result_policy.to_value(),
            "persist": self.persist,
            "failure_policy": self.failure_policy.to_value(),
        });
        if let Some(map) = wire.as_object_mut() {
            self.write_optional(map);
        }
        wire
    }

    fn write_optional(&self, wire: &mut Object) {
        if let Some(prompt) = &self.prompt {
            wire.insert("prompt_hash".into(), prompt.hash().into());
            if let Some(source) = &prompt.source {
                wire.insert("prompt_ref".into(), source.to_string().into());
            }
        }
        if !self.when.is_empty() {
            wire.insert("when".into(), self.when.iter().map(Condition::to_value).collect());
        }
        if let Some(repeat) = &self.repeat {
            wire.insert("repeat".into(), repeat.to_value());
        }
        if let Some(for_each) = &self.for_each {
            wire.insert("for_each".into(), for_each.to_value());
        }
        if !self.resources.is_empty() {
            wire.insert("resources".into(), self.resources.iter().map(Resource::to_value).collect());
        }
        if !self.policies.is_empty() {
            wire.insert("policies".into(), self.policies.to_value());
        }
    }
}

fn parse_prompt(raw: &Object) -> Result<Option<Prompt>> {
    let Some(text) = read::optional_text(CODE, "prompt", raw)? else { return Ok(None) };
    let source = read::text(raw, "prompt_ref").map(Reference::parse).transpose()?;
    let prompt = Prompt { text, source };
    match read::text(raw, "prompt_hash") {
        Some(hash) if hash != prompt.hash() => {
            Err(ContractError::field(CODE, "prompt_hash", "does not fit the prompt"))
        }
        Some(_) | None => Ok(Some(prompt)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_form_reads_back_as_itself() {
        let wire = json!({
            "id": "sum",
            "title": "Sum up",
            "description": null,
            "reason": "because",
            "operation": "summarize",
            "executor": { "type": "agent", "target": "auto", "capabilities": ["writing"] },
            "input": { "a": [1, null] },
            "depends_on": ["look"],
            "context_refs": [
                { "ref": "md:rules", "text": "No.", "hash": canonical_of("No.") },
                { "ref": "action:look.summary" },
            ],
            "prompt": "Go.",
            "result_policy": { "return_to_model": "adaptive", "store_full": false, "max_tokens": 3 },
            "persist": true,
            "failure_policy": { "on_failure": "retry", "max_attempts": 4 },
            "prompt_hash": canonical_of("Go."),
            "prompt_ref": "md:sum.prompt",
            "when": [{ "action": "look", "status": "failed" }],
            "repeat": { "max": 3, "until": { "field": "/done", "equals": true } },
            "resources": [{ "ref": "file:a", "access": "read" }],
            "policies": { "privacy": ["output"] },
        });
        assert_eq!(Action::parse(&wire).unwrap().to_value(), wire);
    }

    #[test]
    fn one_action_has_one_loop() {
        let (repeat, for_each) = (json!({ "max": 2 }), json!({ "in": "action:a.output", "max": 2 }));
        let parse = |wire: Value| Action::parse(&wire);
        let looped = json!({ "id": "b", "for_each": for_each });
        assert_eq!(parse(looped).unwrap().to_value()["for_each"], for_each);
        assert!(parse(json!({ "id": "b", "repeat": repeat })).unwrap().to_value().get("for_each").is_none());
        let both = parse(json!({ "id": "b", "repeat": repeat, "for_each": for_each })).unwrap_err();
        assert_eq!((both.code(), both.field_paths()), ("invalid_schema", &["for_each".to_owned()][..]));
    }

    #[test]
    fn a_changed_text_does_not_pass_under_an_old_hash() {
        let mut wire = json!({ "id": "a", "prompt": "Go.", "prompt_hash": canonical_of("Go.") });
        assert!(Action::parse(&wire).is_ok());
        wire["prompt"] = json!("Go away.");
        assert_eq!(Action::parse(&wire).unwrap_err().field_paths(), ["prompt_hash"]);
    }

    #[test]
    fn loops_and_retries_are_bounded() {
        for (key, most, too_many) in [
            ("repeat", json!({ "max": 20 }), json!({ "max": 21 })),
            ("failure_policy", json!({ "max_attempts": 10 }), json!({ "max_attempts": 11 })),
        ] {
            let parse = |value: &Value| Action::parse(&json!({ "id": "a", key: value }));
            assert!(parse(&most).is_ok(), "{most}");
            assert_eq!(parse(&too_many).unwrap_err().code(), "invalid_schema", "{too_many}");
        }
    }

    fn canonical_of(text: &str) -> String {
        crate::canonical::text_hash(text)
    }
}
