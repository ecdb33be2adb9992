//! The full form: a fenced block, followed by its sections.

use provost_contract::Action;
use provost_contract::action::{Condition, ContextRef, FailurePolicy, Resource, ResultPolicy};
use provost_contract::json::Object;
use serde_json::{Value, json};

use super::put;
use super::sections::Sections;
use crate::read::forms::TYPE;
use crate::{Accepted, Content, Envelope, Intent, ReportSection, ReportSpec, Strategy};

pub(super) fn write_full(accepted: &Accepted, envelope: &Envelope) -> String {
    let mut sections = Sections::default();
    let payload = write_payload(accepted, envelope, &mut sections);
    let mut object = Object::new();
    put(&mut object, "type", TYPE);
    put(&mut object, "version", envelope.version.as_str());
    put(&mut object, "intent", json!(envelope.intent));
    if envelope.persist {
        put(&mut object, "persist", true);
    }
    put(&mut object, "title", envelope.title.as_deref());
    put(&mut object, "response_policy", envelope.response_policy.clone());
    if envelope.strategy != Strategy::default() {
        put(&mut object, "execution", json!({ "strategy": envelope.strategy }));
    }
    put(&mut object, "policies", envelope.policies.to_value());
    object.insert("payload".to_owned(), payload);
    let mut declaration = Value::Object(object);
    put_unknown(&mut declaration, &envelope.unknown_fields);
    let mut text = format!("```json agent-protocol\n{declaration:#}\n```");
    if let Some(note) = &accepted.user_visible {
        sections.add_note(note);
    }
    sections.write(&mut text);
    text
}

/// Puts the unknown fields of a minor version back. An object that is not written because it has only
/// defaults is written for them.
fn put_unknown(declaration: &mut Value, unknown_fields: &Object) {
    let plain = |key: &str| key.replace("~1", "/").replace("~0", "~");
    for (pointer, value) in unknown_fields {
        let Some((parent, key)) = pointer.rsplit_once('/') else { continue };
        if let Some((holder, name)) = parent.rsplit_once('/')
            && let Some(Value::Object(holder)) = declaration.pointer_mut(holder)
        {
            holder.entry(plain(name)).or_insert_with(|| Value::Object(Object::new()));
        }
        if let Some(Value::Object(parent)) = declaration.pointer_mut(parent) {
            parent.insert(plain(key), value.clone());
        }
    }
}

fn write_payload(accepted: &Accepted, envelope: &Envelope, sections: &mut Sections) -> Value {
    let mut graph = |actions: &[Action]| -> Value {
        actions.iter().map(|action| write_action(action, envelope, sections)).collect()
    };
    match &accepted.content {
        Content::Act(actions) if envelope.intent == Intent::ExpandRef => {
            json!({ "refs": actions.iter().map(write_ref).collect::<Value>() })
        }
        Content::Act(_) | Content::Plan(_) => {
            json!({ "type": "action_graph", "actions": graph(accepted.content.declared()) })
        }
        Content::Revise { run_id, actions } => {
            json!({ "type": "action_graph", "run_id": run_id, "actions": graph(actions) })
        }
        Content::Decision(decision) => {
            let mut payload = Object::new();
            put(&mut payload, "type", "decision");
            put(&mut payload, "run_id", decision.run_id.as_str());
            put(&mut payload, "choice", json!(decision.choice));
            put(&mut payload, "action_id", json!(decision.action_id));
            put(&mut payload, "reason", decision.reason.as_deref());
            Value::Object(payload)
        }
        Content::Cancel { run_id, reason } => {
            let mut payload = Object::new();
            put(&mut payload, "run_id", run_id.as_str());
            put(&mut payload, "reason", reason.as_deref());
            Value::Object(payload)
        }
        Content::Report(spec) => write_report(spec, sections),
        Content::Plain | Content::Answer | Content::Done => Value::Null,
    }
}

fn write_ref(action: &Action) -> Value {
    let mut wanted = Object::new();
    put(&mut wanted, "ref", action.input.get("ref").cloned().unwrap_or_default());
    put(&mut wanted, "reason", action.reason.as_deref());
    if let Some(range) = action.input.get("range") {
        wanted.insert("range".to_owned(), range.clone());
    }
    Value::Object(wanted)
}

fn write_action(action: &Action, envelope: &Envelope, sections: &mut Sections) -> Value {
    let mut object = Object::new();
    put(&mut object, "type", "action");
    put(&mut object, "id", action.id.as_str());
    if action.title != action.id.as_str() {
        put(&mut object, "title", action.title.as_str());
    }
    put(&mut object, "description", action.description.as_deref());
    put(&mut object, "reason", action.reason.as_deref());
    put(&mut object, "operation", action.operation.as_deref());
    if action.executor.kind.is_some() {
        put(&mut object, "executor", action.executor.to_value());
    }
    put(&mut object, "input", action.input.clone());
    put(&mut object, "depends_on", json!(action.depends_on));
    put(&mut object, "context_refs", write_context(&action.context_refs, sections));
    if let Some(prompt) = &action.prompt {
        let own_name = format!("{}.prompt", action.id);
        put(&mut object, "prompt_ref", sections.add(prompt.source.as_ref(), &own_name, &prompt.text));
    }
    write_policies(action, envelope, &mut object);
    Value::Object(object)
}

fn write_policies(action: &Action, envelope: &Envelope, object: &mut Object) {
    if action.result_policy != ResultPolicy::default() {
        put(object, "result_policy", action.result_policy.to_value());
    }
    if action.persist != envelope.persist {
        put(object, "persist", action.persist);
    }
    if action.failure_policy != FailurePolicy::default() {
        put(object, "failure_policy", action.failure_policy.to_value());
    }
    put(object, "when", action.when.iter().map(Condition::to_value).collect::<Value>());
    put(object, "repeat", action.repeat.as_ref().map(|repeat| repeat.to_value()));
    put(object, "for_each", action.for_each.as_ref().map(|for_each| for_each.to_value()));
    put(object, "resources", action.resources.iter().map(Resource::to_value).collect::<Value>());
    put(object, "policies", action.policies.to_value());
}

fn write_context(context: &[ContextRef], sections: &mut Sections) -> Value {
    for expanded in context {
        if let Some(text) = &expanded.text {
            sections.add(Some(&expanded.reference), "context", text);
        }
    }
    context.iter().map(|expanded| expanded.reference.to_string()).collect()
}

fn write_report(spec: &ReportSpec, sections: &mut Sections) -> Value {
    let mut section = |section: &ReportSection| {
        let mut object = Object::new();
        put(&mut object, "id", section.id.as_str());
        put(&mut object, "title", section.title.as_str());
        put(&mut object, "refs", write_context(&section.refs, sections));
        if let Some(prompt) = &section.prompt {
            let own_name = format!("{}.prompt", section.id);
            put(&mut object, "prompt_ref", sections.add(prompt.source.as_ref(), &own_name, &prompt.text));
        }
        put(&mut object, "required", section.required);
        Value::Object(object)
    };
    let written: Value = spec.sections.iter().map(&mut section).collect();
    let mut payload = Object::new();
    put(&mut payload, "type", "final_report_spec");
    put(&mut payload, "title", spec.title.as_deref());
    put(&mut payload, "audience", spec.audience.as_deref());
    put(&mut payload, "sections", written);
    put(&mut payload, "format", json!(spec.format));
    Value::Object(payload)
}
