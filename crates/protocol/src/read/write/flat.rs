//! The flat form.

use provost_contract::Action;
use provost_contract::action::ResultPolicy;
use provost_contract::json::Object;
use serde_json::{Value, json};

use super::put;
use crate::Accepted;

pub(super) fn write_flat(accepted: &Accepted) -> Value {
    let mut object = Object::new();
    put(&mut object, "kind", accepted.content.kind());
    put(&mut object, "message", accepted.message.as_deref());
    put(&mut object, "calls", accepted.content.declared().iter().map(call).collect::<Value>());
    Value::Object(object)
}

fn call(action: &Action) -> Value {
    let mut object = Object::new();
    put(&mut object, "id", action.id.as_str());
    put(&mut object, "type", json!(action.executor.kind));
    put(&mut object, "name", action.executor.target.as_str());
    put(&mut object, "args", action.input.clone());
    put(&mut object, "depends", json!(action.depends_on));
    if action.result_policy != ResultPolicy::default() {
        put(&mut object, "result", json!(action.result_policy.return_to_model));
    }
    if action.title != action.id.as_str() {
        put(&mut object, "title", action.title.as_str());
    }
    Value::Object(object)
}
