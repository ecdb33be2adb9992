//! A line of chat input: a message to the agent, or a command.

use provost_project::did_you_mean;
use strum::VariantArray as _;

/// The commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Slash {
    Approve,
    Reject,
    Happened,
    Why,
    Budget,
    Compact,
    Sessions,
    Help,
    Quit,
}

impl Slash {
    /// Returns its arguments and its description.
    fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::Approve => {
                ("[ID] [CHANGE]", "allow the call; CHANGE is KEY=VALUE … or a JSON object; ID may be `all`")
            }
            Self::Reject => ("[ID] [REASON]", "decline the call; ID may be `all`"),
            Self::Happened => ("[ID] RESULT", "the call in doubt happened, with RESULT"),
            Self::Why => ("", "every decision of the last message, and its rule"),
            Self::Budget => ("", "what the last message used of its limits"),
            Self::Compact => ("", "start the next message with a summary of the older ones"),
            Self::Sessions => ("", "your conversations in this project"),
            Self::Help => ("", "this"),
            Self::Quit => ("", "exit; the conversation is stored (Ctrl-D too)"),
        }
    }
}

/// A parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing was typed.
    Blank,
    /// A message to the agent.
    Words(String),
    /// A command and its arguments.
    Command(Slash, String),
    /// An unknown command, and a suggestion.
    Unknown { word: String, meant: Option<&'static str> },
}

impl Line {
    /// Returns whether it can answer a question, or withdraw one as a message.
    pub(super) fn can_answer(&self) -> bool {
        match self {
            Self::Words(_) => true,
            Self::Command(command, _) => matches!(command, Slash::Approve | Slash::Reject | Slash::Happened),
            Self::Blank | Self::Unknown { .. } => false,
        }
    }

    pub(super) fn read(line: &str) -> Self {
        let line = line.trim();
        let Some(rest) = line.strip_prefix('/') else {
            return if line.is_empty() { Self::Blank } else { Self::Words(line.to_owned()) };
        };
        // A message that starts with a slash is typed with two.
        if rest.starts_with('/') {
            return Self::Words(rest.to_owned());
        }
        let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match word.to_ascii_lowercase().parse::<Slash>() {
            Ok(command) => Self::Command(command, rest.trim().to_owned()),
            Err(_) => Self::Unknown { word: word.to_owned(), meant: did_you_mean(word, words()) },
        }
    }
}

/// Returns the names of the commands.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    Slash::VARIANTS.iter().map(|command| (*command).into())
}

/// Returns the text of `/help`.
pub(super) fn help() -> String {
    let mut lines: Vec<String> = Slash::VARIANTS
        .iter()
        .map(|command| {
            let (takes, does) = command.about();
            let word: &str = (*command).into();
            format!("{:<22} {does}", format!("/{word} {takes}").trim_end())
        })
        .collect();
    lines.push(format!("{:<22} a message that begins with a slash", "//…"));
    lines.push("Other text answers the agent's question, or is a message to it.".to_owned());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_commands_and_mistakes_are_told_apart() {
        assert_eq!(Line::read("  "), Line::Blank);
        assert_eq!(Line::read(" hello /why "), Line::Words("hello /why".to_owned()));
        assert_eq!(Line::read("//etc is full"), Line::Words("/etc is full".to_owned()));
        assert_eq!(
            Line::read("/Reject act_1  too risky"),
            Line::Command(Slash::Reject, "act_1  too risky".to_owned())
        );
        assert_eq!(
            Line::read("/aprove x"),
            Line::Unknown { word: "aprove".to_owned(), meant: Some("approve") }
        );
        assert_eq!(Line::read("/etc/passwd"), Line::Unknown { word: "etc/passwd".to_owned(), meant: None });
    }

    #[test]
    fn every_command_is_in_the_help() {
        for word in words() {
            assert!(help().contains(&format!("/{word}")), "{word}");
        }
    }
}
