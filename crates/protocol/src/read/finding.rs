//! Findings about a message: a stable code, a position, a sentence and a hint.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Why a message is refused. The codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The message, its block or its call was cut off.
    IncompleteOutput,
    /// More than one declaration.
    MultipleDeclarations,
    /// A declaration together with other calls.
    AmbiguousCarrier,
    /// A declaration without a carrier.
    CarrierMissing,
    /// The message is empty.
    EmptyOutput,
    /// Not strict JSON.
    InvalidJson,
    /// JSON with an invalid structure.
    InvalidSchema,
    /// Not a declaration of this protocol.
    WrongType,
    /// An unsupported version.
    UnsupportedVersion,
    /// An unknown intent.
    UnsupportedIntent,
    /// No such tool in this turn.
    UnknownTool,
    /// No such agent in this turn.
    UnknownAgent,
    /// No executor is suitable.
    UnresolvedExecutor,
    /// Arguments that do not match the schema of the tool.
    InvalidArguments,
    /// Two actions with the same id.
    DuplicateId,
    /// A dependency on an unknown action.
    UnknownDependency,
    /// A cycle of dependencies.
    DependencyCycle,
    /// An unresolvable reference.
    UnresolvedReference,
    /// A reference to more than one section.
    DuplicateSection,
    /// A call outside the protocol that is not provably harmless.
    UnsafeRecovery,
    /// Two actions without an order use the same resource, and a policy refuses that.
    ResourceConflict,
    /// A limit was exceeded.
    LimitExceeded,
}

/// The position of a finding. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A JSON pointer into the declaration.
    pub pointer: Option<String>,
    /// Line and column in the text that held it.
    pub line_column: Option<(usize, usize)>,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// The position.
    pub place: Place,
    /// The message.
    pub message: String,
    /// The hint.
    pub hint: Option<String>,
}

impl Finding {
    /// Returns the wire form `{code, message, pointer?, line?, column?, hint?}`.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "code": self.code, "message": self.message });
        if let Some(map) = wire.as_object_mut() {
            if let Some(pointer) = &self.place.pointer {
                map.insert("pointer".into(), pointer.as_str().into());
            }
            if let Some((line, column)) = self.place.line_column {
                map.insert("line".into(), line.into());
                map.insert("column".into(), column.into());
            }
            if let Some(hint) = &self.hint {
                map.insert("hint".into(), hint.as_str().into());
            }
        }
        wire
    }
}
