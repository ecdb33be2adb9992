//! Whether colours, attributes and non-ASCII characters are used, and the width of the screen.

use provost_project::{Color, Colors, environment};

use super::Role;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint {
    pub(crate) style: Style,
    /// Whether non-ASCII characters can be shown.
    pub(crate) unicode: bool,
    /// The width of the screen; `None` for lines of any length.
    pub(crate) columns: Option<usize>,
    pub(crate) colors: Colors,
}

/// Styled (marks, columns and colours) or plain (a subject and a colon).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without marks, columns, colours and attributes.
    Plain,
    /// With marks, columns and attributes, without colours.
    Colourless,
    /// With everything.
    Coloured,
}

impl Style {
    /// Chooses the style for a stream: `--color`, then the variables, then whether it is a terminal.
    pub(crate) fn decide(choice: ColorChoice, is_plain: bool, is_terminal: bool) -> Self {
        Self::of(choice, is_plain, is_terminal, |name| {
            environment::has(name).then(|| environment::is_zero(name))
        })
    }

    /// The same with given variables: `None` if a variable is not set, else whether it is `0`.
    fn of(
        choice: ColorChoice,
        is_plain: bool,
        is_terminal: bool,
        variable: impl Fn(&str) -> Option<bool>,
    ) -> Self {
        let forced = ["CLICOLOR_FORCE", "FORCE_COLOR"].iter().any(|name| variable(name) == Some(false));
        let without = match choice {
            _ if is_plain => return Self::Plain,
            ColorChoice::Always => return Self::Coloured,
            ColorChoice::Never => true,
            ColorChoice::Auto if variable("NO_COLOR").is_some() => true,
            ColorChoice::Auto if forced => return Self::Coloured,
            ColorChoice::Auto => variable("CLICOLOR") == Some(true),
        };
        match (is_terminal, without) {
            (false, _) => Self::Plain,
            (true, true) => Self::Colourless,
            (true, false) => Self::Coloured,
        }
    }
}

impl Paint {
    /// Returns the escape sequence for a meaning; empty if there is none.
    pub(crate) fn begin(self, role: Role) -> &'static str {
        match (self.style, role) {
            (Style::Plain, _) | (_, Role::Text) => "",
            (_, Role::Strong) => "\u{1b}[1m",
            (_, Role::Quiet) => "\u{1b}[2m",
            (_, Role::Italic) => "\u{1b}[3m",
            (_, Role::Link) => "\u{1b}[4m",
            (Style::Colourless, _) => "",
            (Style::Coloured, Role::Done) => sgr(self.colors.done),
            (Style::Coloured, Role::You) => sgr(self.colors.you),
            (Style::Coloured, Role::Bad) => sgr(self.colors.bad),
            (Style::Coloured, Role::Alive) => sgr(self.colors.alive),
            (Style::Coloured, Role::Model) => sgr(self.colors.model),
        }
    }

    /// Returns a piece of text with its escape sequences.
    pub(crate) fn painted(self, text: &str, role: Role) -> String {
        match self.begin(role) {
            "" => text.to_owned(),
            begin if text.trim().is_empty() && !begin.is_empty() => text.to_owned(),
            begin => format!("{begin}{text}\u{1b}[0m"),
        }
    }

    /// Returns the truncation sign.
    pub(crate) fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }
}

/// What makes a terminal write in a colour.
fn sgr(color: Color) -> &'static str {
    match color {
        Color::None => "",
        Color::Black => "\u{1b}[30m",
        Color::Red => "\u{1b}[31m",
        Color::Green => "\u{1b}[32m",
        Color::Yellow => "\u{1b}[33m",
        Color::Blue => "\u{1b}[34m",
        Color::Magenta => "\u{1b}[35m",
        Color::Cyan => "\u{1b}[36m",
        Color::White => "\u{1b}[37m",
        Color::BrightBlack => "\u{1b}[90m",
        Color::BrightRed => "\u{1b}[91m",
        Color::BrightGreen => "\u{1b}[92m",
        Color::BrightYellow => "\u{1b}[93m",
        Color::BrightBlue => "\u{1b}[94m",
        Color::BrightMagenta => "\u{1b}[95m",
        Color::BrightCyan => "\u{1b}[96m",
        Color::BrightWhite => "\u{1b}[97m",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(choice: ColorChoice, is_terminal: bool, set: &[(&str, &str)]) -> Style {
        let variable = |name: &str| {
            set.iter().find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| *value == "0")
        };
        Style::of(choice, false, is_terminal, variable)
    }

    #[test]
    fn the_first_word_about_colours_counts() {
        use ColorChoice::{Always, Auto, Never};
        assert_eq!(style(Auto, true, &[]), Style::Coloured);
        assert_eq!(style(Auto, false, &[]), Style::Plain);
        assert_eq!(style(Auto, true, &[("NO_COLOR", "1")]), Style::Colourless);
        assert_eq!(style(Auto, true, &[("NO_COLOR", "")]), Style::Coloured);
        assert_eq!(style(Always, false, &[("NO_COLOR", "1")]), Style::Coloured);
        assert_eq!(style(Never, true, &[("FORCE_COLOR", "1")]), Style::Colourless);
        assert_eq!(style(Auto, false, &[("FORCE_COLOR", "1")]), Style::Coloured);
        assert_eq!(style(Auto, false, &[("CLICOLOR_FORCE", "0")]), Style::Plain);
        assert_eq!(style(Auto, true, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")]), Style::Colourless);
        assert_eq!(style(Auto, true, &[("CLICOLOR", "0")]), Style::Colourless);
        assert_eq!(Style::of(Always, true, true, |_| None), Style::Plain);
    }
}
