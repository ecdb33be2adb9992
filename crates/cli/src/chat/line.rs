//! What a person typed: words for the agent, or a command.

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
    /// What it takes, and what it does.
    fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::Approve => {
                ("[ID] [CHANGE]", "allow it; CHANGE is KEY=VALUE … or a JSON object; `all` for ID")
            }
            Self::Reject => ("[ID] [REASON]", "refuse what is asked for; `all` for ID"),
            Self::Happened => ("[ID] RESULT", "a call whose outcome was unknown did happen, and gave RESULT"),
            Self::Why => ("", "every decision of the last message, and its rule"),
            Self::Budget => ("", "what the last message used of its limits"),
            Self::Compact => ("", "begin the next message with a summary of the older ones"),
            Self::Sessions => ("", "your conversations in this project"),
            Self::Help => ("", "this"),
            Self::Quit => ("", "leave; the conversation stays (Ctrl-D too)"),
        }
    }
}

/// One line, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing was typed.
    Blank,
    /// Words for the agent.
    Words(String),
    /// A command, and what stands behind it.
    Command(Slash, String),
    /// No command there is, and the one that may have been meant.
    Unknown { word: String, meant: Option<&'static str> },
}

impl Line {
    /// Whether it can answer a question, or be said instead of an answer.
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
        // Who wants to say something that begins with a slash writes two.
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

/// The words of the commands.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    Slash::VARIANTS.iter().map(|command| (*command).into())
}

/// What can be typed.
pub(super) fn help() -> String {
    let mut lines: Vec<String> = Slash::VARIANTS
        .iter()
        .map(|command| {
            let (takes, does) = command.about();
            let word: &str = (*command).into();
            format!("{:<22} {does}", format!("/{word} {takes}").trim_end())
        })
        .collect();
    lines.push(format!("{:<22} say something that begins with a slash", "//…"));
    lines.push("Anything else answers a question of the agent, or is said to it.".to_owned());
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
