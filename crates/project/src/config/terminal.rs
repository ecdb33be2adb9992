//! The colours of the terminal.

use serde::Deserialize;

use super::person::PersonFile;
use crate::environment;

/// `[terminal]` of a person's file.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Terminal {
    pub(super) colors: Colors,
}

/// A colour for each of five roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Colors {
    /// Completed, allowed, added.
    pub done: Color,
    /// A person must answer.
    pub you: Color,
    /// Failed, denied, removed.
    pub bad: Color,
    /// Running.
    pub alive: Color,
    /// The bar before the model's words.
    pub model: Color,
}

/// One of the 16 terminal colours, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the colour of its name")]
pub enum Color {
    None,
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    White,
    BrightBlack,
    BrightRed,
    BrightGreen,
    BrightYellow,
    BrightBlue,
    BrightMagenta,
    BrightCyan,
    BrightWhite,
}

impl Default for Colors {
    fn default() -> Self {
        Self {
            done: Color::Green,
            you: Color::Yellow,
            bad: Color::Red,
            alive: Color::Cyan,
            model: Color::Magenta,
        }
    }
}

impl Colors {
    /// The colours of the person who runs the program. An unreadable file gives the defaults; commands that need it
    /// report the error.
    pub fn of_person() -> Self {
        let file = environment::config_file().and_then(|path| PersonFile::read(&path).ok().flatten());
        file.map(|file| file.terminal.colors).unwrap_or_default()
    }
}
