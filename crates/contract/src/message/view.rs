//! A message read where it lies: every check of the contract, no copy of its content.

use serde_json::Value;

use super::{Content, Message, MessageType};
use crate::json::Object;
use crate::{ContractError, Result, loose};

pub(super) const CODE: &str = "invalid_ai_message_envelope";
pub(super) const VERSION: u64 = 1;
/// What a plain message carries in its metadata belongs into the payload of its envelope.
const TOOL_CALL_KEYS: [&str; 3] = ["tool_name", "parameters", "turn"];
const TOOL_RESULT_KEYS: [&str; 6] = ["tool_name", "success", "turn", "tool_data", "media", "error"];

/// A plain `{role, content, metadata}` message or an envelope, checked and borrowed.
///
/// Whatever [`Message::parse`] refuses is refused here with the same error, for it reads through this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageView<'a> {
    kind: MessageType,
    /// Never empty.
    role: &'a str,
    /// Text, list or object; none is empty text.
    content: Option<&'a Value>,
    payload: PayloadView<'a>,
    metadata: Option<&'a Object>,
}

/// Where the payload of a message is found.
#[derive(Clone, Copy, Debug)]
enum PayloadView<'a> {
    /// An envelope has its own.
    Own(Option<&'a Object>),
    /// A plain message keeps these keys in its metadata.
    InMetadata(&'static [&'static str]),
}

impl<'a> MessageView<'a> {
    /// Reads a message; an error is the one [`Message::parse`] gives.
    pub(crate) fn read(value: &'a Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "message must be an object"));
        };
        let fields = Fields::find(raw);
        if fields.are_an_envelope() { Self::read_envelope(fields) } else { Self::read_plain(fields) }
    }

    /// What the message is.
    pub(crate) fn kind(&self) -> MessageType {
        self.kind
    }

    /// Who says it.
    pub(crate) fn role(&self) -> &'a str {
        self.role
    }

    /// Where `tool_name` is found, when this is a call or a result.
    pub(crate) fn naming(&self) -> Option<&'a Object> {
        match self.payload {
            PayloadView::Own(payload) => payload,
            PayloadView::InMetadata(_) => self.metadata,
        }
    }

    /// What its owner remembers beside it.
    pub(crate) fn metadata(&self) -> Option<&'a Object> {
        self.metadata
    }

    /// Copies what was read; the stamps are left out.
    pub(super) fn to_message(self) -> Message {
        let content = self.content.map_or_else(|| "".into(), Content::of);
        let payload = match self.payload {
            PayloadView::Own(payload) => payload.cloned().unwrap_or_default(),
            PayloadView::InMetadata(keys) => self.copied_from_metadata(keys),
        };
        let metadata = self.metadata.cloned().unwrap_or_default();
        Message { role: self.role.to_owned(), payload, metadata, ..Message::bare(self.kind, content) }
    }

    fn copied_from_metadata(self, keys: &[&str]) -> Object {
        let known = |key: &&str| Some(((*key).to_owned(), self.metadata?.get(*key)?.clone()));
        keys.iter().filter_map(known).collect()
    }

    fn read_envelope(fields: Fields<'a>) -> Result<Self> {
        // Stores that keep every field as text write the version as text too.
        if fields.version.and_then(loose::number) != Some(VERSION as f64) {
            return Err(unsupported("version"));
        }
        let Some(kind) = fields.kind.and_then(Value::as_str).and_then(MessageType::from_word) else {
            return Err(unsupported("type"));
        };
        // `data` is the older word for `payload`.
        let given = fields.payload.and_then(Value::as_object).filter(|payload| !payload.is_empty());
        let payload = given.or_else(|| fields.data.and_then(Value::as_object));
        Self::checked(kind, fields, PayloadView::Own(payload))
    }

    fn read_plain(fields: Fields<'a>) -> Result<Self> {
        let kind = MessageType::infer(fields.content, fields.metadata());
        let known: &[&str] = match kind {
            MessageType::ToolCall => &TOOL_CALL_KEYS,
            MessageType::ToolResult => &TOOL_RESULT_KEYS,
            MessageType::Text
            | MessageType::InputRequired
            | MessageType::ApprovalRequired
            | MessageType::FinalResult
            | MessageType::Error
            | MessageType::Delta
            | MessageType::MultimodalPart => &[],
        };
        Self::checked(kind, fields, PayloadView::InMetadata(known))
    }

    fn checked(kind: MessageType, fields: Fields<'a>, payload: PayloadView<'a>) -> Result<Self> {
        let role = match fields.role {
            Some(role) => checked_role(role.as_str().unwrap_or_default())?,
            None => kind.default_role(),
        };
        let content = fields.content.map(Content::checked).transpose()?;
        Ok(Self { kind, role, content, payload, metadata: fields.metadata() })
    }
}

/// A role is never empty.
pub(super) fn checked_role(role: &str) -> Result<&str> {
    if role.is_empty() {
        return Err(ContractError::field(CODE, "role", "must be a non-empty string"));
    }
    Ok(role)
}

fn unsupported(field: &str) -> ContractError {
    ContractError::with_message(CODE, format!("{CODE}: unsupported {field}")).about(field)
}

/// The keys of a message, found in one walk: transcripts are long, and a lookup a key costs a hash each.
#[derive(Default)]
struct Fields<'a> {
    schema: Option<&'a Value>,
    version: Option<&'a Value>,
    kind: Option<&'a Value>,
    role: Option<&'a Value>,
    content: Option<&'a Value>,
    payload: Option<&'a Value>,
    data: Option<&'a Value>,
    metadata: Option<&'a Value>,
}

impl<'a> Fields<'a> {
    fn find(raw: &'a Object) -> Self {
        let mut fields = Self::default();
        for (key, value) in raw {
            let present = Some(value).filter(|value| !value.is_null());
            match key.as_str() {
                "schema" => fields.schema = present,
                "version" => fields.version = present,
                "type" => fields.kind = present,
                "role" => fields.role = present,
                "content" => fields.content = present,
                // Even a null payload shows that an envelope is meant.
                "payload" => fields.payload = Some(value),
                "data" => fields.data = Some(value),
                "metadata" => fields.metadata = present,
                _ => {}
            }
        }
        fields
    }

    /// An envelope says its version and type, and shows by a third key that it means them.
    fn are_an_envelope(&self) -> bool {
        let meant = self.schema.is_some() || self.payload.is_some() || self.data.is_some();
        self.version.is_some() && self.kind.is_some() && meant
    }

    fn metadata(&self) -> Option<&'a Object> {
        self.metadata.and_then(Value::as_object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind_of(version: Value) -> Option<MessageType> {
        let envelope = json!({"version": version, "type": "delta", "payload": {}});
        MessageView::read(&envelope).map(|view| view.kind()).ok()
    }

    #[test]
    fn a_version_is_one_in_figures_or_in_text() {
        for one in [json!(1), json!(1.0), json!("1")] {
            assert_eq!(kind_of(one.clone()), Some(MessageType::Delta), "{one}");
        }
        for other in [json!(2), json!("one"), json!(""), json!(true), json!([1])] {
            assert_eq!(kind_of(other.clone()), None, "{other}");
        }
    }

    #[test]
    fn of_a_bad_role_and_a_bad_content_the_role_is_named() {
        let error = MessageView::read(&json!({"role": "", "content": 1})).unwrap_err();
        assert_eq!(error.field_paths(), ["role"]);
    }
}
