//! The marks: one cell at the left edge that shows the speaker or a status.

use super::Role;

/// A speaker or a status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    Nothing,
    Completed,
    /// Running; the number of the frame.
    Running(u8),
    Failed,
    Denied,
    Asks,
    InDoubt,
    Waits,
    Spent,
    Stalled,
    LeftOut,
    Stopped,
    Pending,
    Person,
    Model,
    Program,
}

impl Mark {
    pub(crate) fn glyph(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Completed => "✓",
            Self::Running(frame) => match frame % 4 {
                0 => "◐",
                1 => "◓",
                2 => "◑",
                _ => "◒",
            },
            Self::Failed => "✗",
            Self::Denied => "⊖",
            Self::Asks => "◆",
            Self::InDoubt => "◆?",
            Self::Waits => "◇",
            Self::Spent => "◕",
            Self::Stalled => "⊜",
            Self::LeftOut => "⊘",
            Self::Stopped => "■",
            Self::Pending => "○",
            Self::Person => "›",
            Self::Model => "┃",
            Self::Program => "│",
        }
    }

    pub(crate) fn ascii(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Completed => "+",
            Self::Running(_) => "*",
            Self::Failed => "x",
            Self::Denied => "-",
            Self::Asks => "!",
            Self::InDoubt => "!?",
            Self::Waits => "~",
            Self::Spent => "%",
            Self::Stalled => "=",
            Self::LeftOut => "/",
            Self::Stopped => "#",
            Self::Pending => "o",
            Self::Person => ">",
            Self::Model => "|",
            Self::Program => ":",
        }
    }

    pub(crate) fn role(self) -> Role {
        match self {
            Self::Completed => Role::Done,
            Self::Running(_) => Role::Alive,
            Self::Failed | Self::Denied | Self::Spent | Self::Stalled => Role::Bad,
            Self::Asks | Self::InDoubt => Role::You,
            Self::Person => Role::Strong,
            Self::Nothing | Self::Waits | Self::LeftOut | Self::Stopped | Self::Pending | Self::Program => {
                Role::Quiet
            }
            Self::Model => Role::Model,
        }
    }
}
