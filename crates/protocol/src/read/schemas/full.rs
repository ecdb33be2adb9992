//! The full form.

use provost_contract::action::{
    Access, ConditionStatus, ExecutorType, FailurePolicy, ForEach, OnFailure, Repeat, ReturnToModel,
};
use provost_contract::policies::Policies;
use serde_json::{Value, json};

use super::DRAFT;
use super::parts::{any_object, arguments, flag, id, input, object, optional, some_text, text, texts, words};
use crate::read::forms::{TYPE, VERSION_PATTERN};
use crate::{Choice, Intent, Mode, ReportFormat, Strategy};

/// The schema of the full form: the JSON of a fenced block.
pub fn full_schema() -> Value {
    let graph =
        || object(json!({ "type": { "const": "action_graph" }, "actions": actions() }), &["type", "actions"]);
    let report = || json!({ "$ref": "#/$defs/report" });
    json!({
        "$schema": DRAFT,
        "$id": "urn:provost:agent-protocol:full:1",
        "title": "Agent protocol, full form",
        "oneOf": [
            envelope(Intent::Execute, json!({ "anyOf": [graph(), report()] })),
            envelope(Intent::Plan, graph()),
            envelope(Intent::Revise, revision()),
            envelope(Intent::ExpandRef, expand_ref()),
            envelope(Intent::Decide, decision()),
            envelope(Intent::Cancel, cancel()),
            envelope(Intent::Report, report()),
        ],
        "$defs": {
            "action": action(),
            "input": input(),
            "policies": policies(),
            "report": report_spec(),
        },
    })
}

fn envelope(intent: Intent, payload: Value) -> Value {
    let execution =
        object(json!({ "mode": optional(words::<Mode>()), "strategy": optional(words::<Strategy>()) }), &[]);
    object(
        json!({
            "type": { "const": TYPE },
            "version": { "type": "string", "pattern": VERSION_PATTERN },
            "intent": { "const": intent },
            "persist": flag(),
            "title": text(),
            "response_policy": any_object(),
            "execution": optional(execution),
            "policies": optional(json!({ "$ref": "#/$defs/policies" })),
            "payload": payload,
        }),
        &["type", "version", "intent", "payload"],
    )
}

fn actions() -> Value {
    json!({ "type": "array", "items": { "$ref": "#/$defs/action" }, "minItems": 1 })
}

fn action() -> Value {
    let executor = object(
        json!({ "type": words::<ExecutorType>(), "target": optional(some_text()), "capabilities": optional(texts()) }),
        &["type"],
    );
    object(
        json!({
            "type": { "const": "action" },
            "id": id(),
            "title": text(),
            "description": text(),
            "reason": text(),
            "operation": text(),
            "executor": optional(executor),
            "input": arguments(),
            "depends_on": optional(texts()),
            "context_refs": optional(texts()),
            "prompt_ref": { "type": ["string", "null"], "pattern": "^md:|^\\s*$" },
            "result_policy": optional(result_policy()),
            "persist": flag(),
            "failure_policy": optional(failure_policy()),
            "when": optional(when()),
            "repeat": optional(repeat()),
            "for_each": optional(for_each()),
            "resources": optional(resources()),
            "policies": optional(json!({ "$ref": "#/$defs/policies" })),
        }),
        &["type", "id"],
    )
}

fn result_policy() -> Value {
    let whole = object(
        json!({
            "return_to_model": optional(words::<ReturnToModel>()),
            "store_full": flag(),
            "priority": optional(texts()),
            "max_tokens": { "type": ["integer", "null"], "minimum": 1 },
            "if_truncated": optional(some_text()),
        }),
        &[],
    );
    json!({ "anyOf": [words::<ReturnToModel>(), whole] })
}

fn failure_policy() -> Value {
    let word = json!({ "anyOf": [words::<OnFailure>(), { "const": "ask-model" }] });
    let attempts =
        json!({ "type": ["integer", "null"], "minimum": 1, "maximum": FailurePolicy::ATTEMPTS_MAX });
    let whole = object(json!({ "on_failure": optional(word.clone()), "max_attempts": attempts }), &[]);
    json!({ "anyOf": [word, whole] })
}

fn when() -> Value {
    let condition =
        object(json!({ "action": id(), "status": words::<ConditionStatus>() }), &["action", "status"]);
    json!({ "anyOf": [condition, { "type": "array", "items": condition, "minItems": 1 }] })
}

fn repeat() -> Value {
    let scalar = json!({ "type": ["string", "number", "boolean", "null"] });
    let pointer = json!({ "type": "string", "pattern": "^(/|$)" });
    let until = object(json!({ "field": pointer, "equals": scalar }), &["field", "equals"]);
    let rounds = json!({ "type": "integer", "minimum": 1, "maximum": Repeat::ROUNDS_MAX });
    object(json!({ "max": rounds, "until": optional(until) }), &["max"])
}

fn for_each() -> Value {
    let items = json!({ "type": "integer", "minimum": 1, "maximum": ForEach::ITEMS_MAX });
    object(json!({ "in": some_text(), "max": items }), &["in", "max"])
}

fn resources() -> Value {
    let whole = object(json!({ "ref": some_text(), "access": optional(words::<Access>()) }), &["ref"]);
    json!({ "type": "array", "items": { "anyOf": [some_text(), whole] } })
}

/// Only the names of policies; their values are checked when parsed.
fn policies() -> Value {
    let names: serde_json::Map<String, Value> =
        Policies::FIELDS.iter().map(|name| ((*name).to_owned(), Value::Bool(true))).collect();
    object(Value::Object(names), &[])
}

fn revision() -> Value {
    object(
        json!({ "type": { "const": "action_graph" }, "run_id": some_text(), "actions": actions() }),
        &["type", "run_id", "actions"],
    )
}

fn expand_ref() -> Value {
    let stored = json!({ "type": "string", "pattern": "^\\s*(runtime://|artifact:)" });
    let wanted = object(json!({ "ref": stored, "reason": text(), "range": any_object() }), &["ref"]);
    object(
        json!({
            "type": { "enum": ["expand_ref", null] },
            "refs": { "type": "array", "items": wanted, "minItems": 1 },
        }),
        &["refs"],
    )
}

fn decision() -> Value {
    object(
        json!({
            "type": { "const": "decision" },
            "run_id": some_text(),
            "choice": words::<Choice>(),
            "action_id": optional(id()),
            "reason": text(),
        }),
        &["type", "run_id", "choice"],
    )
}

fn cancel() -> Value {
    object(
        json!({ "type": { "enum": ["cancel", null] }, "run_id": some_text(), "reason": text() }),
        &["run_id"],
    )
}

fn report_spec() -> Value {
    let section = object(
        json!({
            "id": id(),
            "title": text(),
            "refs": optional(texts()),
            "prompt_ref": { "type": ["string", "null"], "pattern": "^md:|^\\s*$" },
            "required": flag(),
        }),
        &["id"],
    );
    object(
        json!({
            "type": { "const": "final_report_spec" },
            "title": text(),
            "audience": text(),
            "sections": { "type": "array", "items": section, "minItems": 1 },
            "format": optional(words::<ReportFormat>()),
        }),
        &["type", "sections"],
    )
}
