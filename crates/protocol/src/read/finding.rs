//! What is wrong with a message: a stable code, a place, a sentence and what to do.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Why a message is refused. The words are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Code {
    /// The message, its block or its call was cut.
    IncompleteOutput,
    /// More than one declaration.
    MultipleDeclarations,
    /// A declaration beside other calls.
    AmbiguousCarrier,
    /// A declaration outside any carrier.
    CarrierMissing,
    /// Nothing was said.
    EmptyOutput,
    /// Not strict JSON.
    InvalidJson,
    /// JSON of another shape.
    InvalidSchema,
    /// Not a declaration of this protocol.
    WrongType,
    /// A version nobody here reads.
    UnsupportedVersion,
    /// An intent nobody here knows.
    UnsupportedIntent,
    /// No such tool in this turn.
    UnknownTool,
    /// No such agent in this turn.
    UnknownAgent,
    /// Nobody can do it.
    UnresolvedExecutor,
    /// Arguments that do not fit the tool.
    InvalidArguments,
    /// Two actions of one id.
    DuplicateId,
    /// A dependency on nothing.
    UnknownDependency,
    /// Actions that wait for each other.
    DependencyCycle,
    /// A reference to nothing.
    UnresolvedReference,
    /// A reference to more than one section.
    DuplicateSection,
    /// A call outside the protocol that is not provably harmless.
    UnsafeRecovery,
    /// Too much at once.
    LimitExceeded,
}

/// Where it is wrong. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A JSON pointer into the declaration.
    pub pointer: Option<String>,
    /// Line and column in the text that held it.
    pub line_column: Option<(usize, usize)>,
}

/// One thing wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
    /// What is allowed, or what to do.
    pub hint: Option<String>,
}

impl Finding {
    /// The wire form `{code, message, pointer?, line?, column?, hint?}`.
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
