//! What an accepted message did not do by the book. Each is recorded, so that compliance can be counted.

use std::fmt;

/// One departure from the protocol that changes no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// A plain agent called the carrier tool.
    ProtocolNotEnabled,
    /// A fenced block stood beside the native carrier.
    ExtraFencedBlockIgnored,
    /// The declaration was wrapped in one more object.
    WrappedArguments,
    /// The calls came as JSON text.
    StringifiedCalls,
    /// The answer stood under another name.
    FieldAlias(&'static str),
    /// A top-level field nobody knows.
    UnknownField(String),
    /// An empty list of calls where none belongs.
    UnusedCalls,
    /// `none` was written for no dependency.
    NoneDependencySentinel,
    /// A delegation was written as the tool `task`.
    TaskToolAsDelegation,
    /// One dependency was written without its list.
    DependsOnString,
    /// A tool was called natively instead of declared.
    DirectToolCall,
    /// A delegation was called natively instead of declared.
    DirectDelegation,
    /// A tool was called in text.
    TextToolCall,
}

impl Violation {
    /// Whether the message had to be repaired to be understood.
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

    /// The kind, without the field it is about: what a counter counts.
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
