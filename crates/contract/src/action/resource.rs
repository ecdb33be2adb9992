//! What an action reads or writes, so that two writers do not meet.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::CODE;
use crate::{ContractError, Result, json as read};

/// How an action uses a resource.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Access {
    /// Looks at it.
    Read,
    /// Changes it. The default: whoever does not say may write.
    #[default]
    Write,
}

/// One resource and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resource {
    /// The resource's name, such as `file:src/lib.rs` or `repo://current`.
    #[serde(rename = "ref")]
    pub name: String,
    /// How it is used.
    pub access: Access,
}

impl Resource {
    /// Reads a list of names or `{ref, access?}` objects.
    pub fn parse_all(value: &Value) -> Result<Vec<Self>> {
        let Some(items) = value.as_array() else {
            return Err(ContractError::field(CODE, "resources", "must be a list"));
        };
        items
            .iter()
            .enumerate()
            .map(|(index, item)| Self::parse(&format!("resources.{index}"), item))
            .collect()
    }

    fn parse(path: &str, value: &Value) -> Result<Self> {
        let (name, access) = match value {
            Value::String(name) => (Some(name.as_str()), Access::default()),
            Value::Object(raw) => {
                read::only_keys(CODE, path, raw, &["ref", "access"])?;
                let word = read::present(raw, "access");
                let access =
                    word.map(|word| read::word(CODE, &format!("{path}.access"), word)).transpose()?;
                (read::text(raw, "ref"), access.unwrap_or_default())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => (None, Access::default()),
        };
        match name.map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => Ok(Self { name: name.to_owned(), access }),
            None => Err(ContractError::field(CODE, path, "must be a name or {ref, access}")),
        }
    }

    /// The wire form `{ref, access}`.
    pub fn to_value(&self) -> Value {
        json!({ "ref": self.name, "access": self.access })
    }
}
