//! References: texts that point at a section, another action's result, the user's goal or a stored record.

use std::fmt;

use strum::{EnumString, IntoStaticStr};

use super::ActionId;
use crate::{ContractError, Result};

/// The code of a reference that leads nowhere.
const CODE: &str = "unresolved_reference";
const KNOWN: &str =
    "md:<section>, action:<id>.summary, action:<id>.output, input:user.goal, runtime://… or artifact:<name>";

/// Which part of another action's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ActionPart {
    /// Its summary.
    Summary,
    /// Its whole output.
    Output,
}

/// A parsed reference; `Display` gives back the text it was read from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// `md:<section>`: a section of the same message.
    Section(String),
    /// `action:<id>.summary` or `action:<id>.output` of the same run.
    Action {
        /// Whose outcome.
        id: ActionId,
        /// Which part of it.
        part: ActionPart,
    },
    /// `input:user.goal`: what the user asked for.
    UserGoal,
    /// `runtime://…`: a record of the runtime.
    Runtime(String),
    /// `artifact:<name>`: an artifact of the same run.
    Artifact(String),
    /// `artifact://…`: a stored artifact by its address.
    StoredArtifact(String),
}

impl Reference {
    /// Reads a reference.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(text).ok_or_else(|| {
            ContractError::with_message(CODE, format!("{CODE}: {text:?} is no reference; use {KNOWN}"))
        })
    }

    fn read(text: &str) -> Option<Self> {
        let address = |rest: &str| {
            let clean = !rest.is_empty() && !rest.chars().any(|c| c.is_whitespace() || c.is_control());
            clean.then(|| rest.to_owned())
        };
        if let Some(section) = text.strip_prefix("md:") {
            return (!section.trim().is_empty()).then(|| Self::Section(section.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("action:") {
            let (id, part) = rest.rsplit_once('.')?;
            let part = part.parse().ok()?;
            return ActionId::parse(id)
                .ok()
                .filter(|parsed| parsed.as_str() == id)
                .map(|id| Self::Action { id, part });
        }
        if let Some(rest) = text.strip_prefix("runtime://") {
            return address(rest).map(Self::Runtime);
        }
        if let Some(rest) = text.strip_prefix("artifact://") {
            return address(rest).map(Self::StoredArtifact);
        }
        if let Some(rest) = text.strip_prefix("artifact:") {
            return address(rest).map(Self::Artifact);
        }
        (text == "input:user.goal").then_some(Self::UserGoal)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Section(section) => write!(f, "md:{section}"),
            Self::Action { id, part } => write!(f, "action:{id}.{}", <&str>::from(*part)),
            Self::UserGoal => f.write_str("input:user.goal"),
            Self::Runtime(path) => write!(f, "runtime://{path}"),
            Self::Artifact(name) => write!(f, "artifact:{name}"),
            Self::StoredArtifact(path) => write!(f, "artifact://{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_and_writes_the_same_text() {
        for text in [
            "md:look.prompt",
            "action:look.v2.summary",
            "action:look.output",
            "input:user.goal",
            "runtime://runs/r7/actions/scan/output",
            "artifact:source_index",
            "artifact://r7/scan",
        ] {
            assert_eq!(Reference::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_points_nowhere_is_refused() {
        for text in [
            "",
            "md:",
            "md: ",
            "action:look",
            "action:look.stdout",
            "action:.summary",
            "input:user.name",
            "runtime://",
            "runtime://a b",
            "artifact:",
            "file:src/lib.rs",
            "src/lib.rs",
            " md:a",
        ] {
            assert_eq!(Reference::parse(text).unwrap_err().code(), "unresolved_reference", "{text:?}");
        }
    }
}
