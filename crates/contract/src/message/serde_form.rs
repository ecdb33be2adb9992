//! A message in journals and stores: written as its wire form, read back through its one door.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Message;
use super::envelope::{Content, SCHEMA};
use super::view::VERSION;

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", SCHEMA)?;
        map.serialize_entry("version", &VERSION)?;
        map.serialize_entry("type", &self.kind)?;
        map.serialize_entry("role", &self.role)?;
        match &self.content {
            Content::Text(text) => map.serialize_entry("content", text)?,
            Content::Structured(value) => map.serialize_entry("content", value)?,
        }
        map.serialize_entry("payload", &self.payload)?;
        map.serialize_entry("metadata", &self.metadata)?;
        let stamps = [("id", &self.id), ("created_at", &self.created_at), ("updated_at", &self.updated_at)];
        for (key, stamp) in stamps {
            if let Some(stamp) = stamp {
                map.serialize_entry(key, stamp)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::parse(&value).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_written_as_its_wire_form_and_read_back() {
        let wire = json!({"role": "user", "content": [{"kind": "image"}], "metadata": {"k": 1}, "id": "m-1"});
        let message = Message::parse(&wire).unwrap();
        let written = serde_json::to_value(&message).unwrap();
        assert_eq!(written, message.to_value());
        assert_eq!(serde_json::from_value::<Message>(written).unwrap(), message);
        assert!(serde_json::from_value::<Message>(json!({"content": 5})).is_err());
    }
}
