//! The calls of a streamed answer, piece by piece.

use serde_json::{Value, json};

use crate::api::OnDelta;
use crate::api::assembler::{place_at, text_at};
use provost_runtime::port::Delta;

#[derive(Default)]
pub(super) struct Calls(Vec<Call>);

struct Call {
    /// The index the server gave it.
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
    /// What else the server says of it.
    more: Value,
}

impl Calls {
    pub(super) fn take(&mut self, piece: &Value, hear: OnDelta<'_>) {
        let (index, id) = (place_at(piece, "index"), text_at(piece, "id"));
        let function = piece.get("function").unwrap_or(&Value::Null);
        let (name, text) = (text_at(function, "name"), text_at(function, "arguments"));
        let (place, begins) = match self.place_of(index, id) {
            Some(place) => (place, false),
            None => (self.begin(index, id, name, piece), true),
        };
        if begins {
            hear(Delta::Call { place, id, name });
        }
        let Some(call) = self.0.get_mut(place) else { return };
        if call.name.is_empty() {
            name.clone_into(&mut call.name);
        }
        if !text.is_empty() {
            call.arguments.push_str(text);
            hear(Delta::Arguments { place, text });
        }
    }

    /// The call a piece belongs to. Some servers give every call the same index, or none: another id is
    /// another call.
    fn place_of(&self, index: Option<usize>, id: &str) -> Option<usize> {
        let same = |call: &Call| {
            let same_id = id.is_empty() || call.id.is_empty() || call.id == id;
            same_id && (index.is_none() || call.index == index)
        };
        match index {
            Some(_) => self.0.iter().rposition(same),
            None => self.0.len().checked_sub(1).filter(|last| self.0.get(*last).is_some_and(same)),
        }
    }

    fn begin(&mut self, index: Option<usize>, id: &str, name: &str, piece: &Value) -> usize {
        let mut more = piece.clone();
        if let Some(more) = more.as_object_mut() {
            more.retain(|key, value| {
                !matches!(key.as_str(), "index" | "id" | "function") && !value.is_null()
            });
        }
        self.0.push(Call { index, id: id.to_owned(), name: name.to_owned(), arguments: String::new(), more });
        self.0.len() - 1
    }

    pub(super) fn into_values(self) -> Vec<Value> {
        self.0.into_iter().map(Call::into_value).collect()
    }
}

impl Call {
    fn into_value(self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.arguments });
        let mut value = json!({ "id": self.id, "type": "function", "function": function });
        if let (Some(value), Value::Object(more)) = (value.as_object_mut(), self.more) {
            value.extend(more);
        }
        value
    }
}
