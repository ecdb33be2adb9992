//! Departures of an accepted message from the protocol. Each is recorded, so that compliance can be measured.

use std::fmt;

/// A departure from the protocol that does not change the meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// A plain agent called the carrier tool.
    ProtocolNotEnabled,
    /// A fenced block together with the native carrier.
    ExtraFencedBlockIgnored,
    /// The declaration was wrapped in another object.
    WrappedArguments,
    /// The calls were JSON text.
    StringifiedCalls,
    /// The answer was under another field name.
    FieldAlias(&'static str),
    /// An unknown top-level field.
    UnknownField(String),
    /// An empty list of calls where none is allowed.
    UnusedCalls,
    /// `none` was written for no dependency.
    NoneDependencySentinel,
    /// A delegation was written as the tool `task`.
    TaskToolAsDelegation,
    /// A single dependency was written without a list.
    DependsOnString,
    /// A tool was called natively instead of declared.
    DirectToolCall,
    /// A delegation was called natively instead of declared.
    DirectDelegation,
    /// A tool was called as text.
    TextToolCall,
}

impl Violation {
    /// Returns whether the message had to be repaired.
    pub fn is_repair(&self) -> bool {
        match self {
            Self::WrappedArguments
            | Self::StringifiedCalls
            | Self::FieldAlias(_)
            | Self::TaskToolAsDelegation
            | Self::DirectToolCall
            | Self::DirectDelegation
            | Self::TextToolCall => true,
            Self::ProtocolNotEnabled
            | Self::ExtraFencedBlockIgnored
            | Self::UnknownField(_)
            | Self::UnusedCalls
            | Self::NoneDependencySentinel
            | Self::DependsOnString => false,
        }
    }

    /// Returns the kind without the field name, for counters.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ProtocolNotEnabled => "protocol_not_enabled",
            Self::ExtraFencedBlockIgnored => "extra_fenced_block_ignored",
            Self::WrappedArguments => "wrapped_arguments",
            Self::StringifiedCalls => "stringified_calls",
            Self::FieldAlias(_) => "field_alias",
            Self::UnknownField(_) => "unknown_field",
            Self::UnusedCalls => "unused_calls",
            Self::NoneDependencySentinel => "none_dependency_sentinel",
            Self::TaskToolAsDelegation => "task_tool_as_delegation",
            Self::DependsOnString => "depends_on_string",
            Self::DirectToolCall => "direct_tool_call",
            Self::DirectDelegation => "direct_delegation",
            Self::TextToolCall => "text_tool_call",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::FieldAlias(name) => write!(f, ":{name}"),
            Self::UnknownField(name) => write!(f, ":{name}"),
            Self::ProtocolNotEnabled
            | Self::ExtraFencedBlockIgnored
            | Self::WrappedArguments
            | Self::StringifiedCalls
            | Self::UnusedCalls
            | Self::NoneDependencySentinel
            | Self::TaskToolAsDelegation
            | Self::DependsOnString
            | Self::DirectToolCall
            | Self::DirectDelegation
            | Self::TextToolCall => Ok(()),
        }
    }
}
