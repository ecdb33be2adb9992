//! Errors for people: a code, a sentence, and a hint.

use std::io;
use std::path::Path;

use provost_runtime::port::Fault;
use strum::VariantArray as _;

/// The stable codes. Each has a page in docs/errors/.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub enum Code {
    Project,
    Config,
    AgentFile,
    UnknownAgent,
    Model,
    Store,
    UnknownRun,
    UnknownSession,
    Decision,
    Busy,
    Run,
    Journal,
    File,
    Machine,
    Output,
    InsideRun,
    Governed,
}

impl Code {
    /// Returns the code as printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "PV0001",
            Self::Config => "PV0002",
            Self::AgentFile => "PV0003",
            Self::UnknownAgent => "PV0004",
            Self::Model => "PV0005",
            Self::Store => "PV0006",
            Self::UnknownRun => "PV0007",
            Self::Decision => "PV0008",
            Self::Busy => "PV0009",
            Self::Run => "PV0010",
            Self::Journal => "PV0011",
            Self::File => "PV0012",
            Self::Machine => "PV0013",
            Self::Output => "PV0014",
            Self::UnknownSession => "PV0015",
            Self::InsideRun => "PV0016",
            Self::Governed => "PV0017",
        }
    }

    /// Returns its page.
    pub fn page(self) -> &'static str {
        match self {
            Self::Project => include_str!("../../../docs/errors/PV0001.md"),
            Self::Config => include_str!("../../../docs/errors/PV0002.md"),
            Self::AgentFile => include_str!("../../../docs/errors/PV0003.md"),
            Self::UnknownAgent => include_str!("../../../docs/errors/PV0004.md"),
            Self::Model => include_str!("../../../docs/errors/PV0005.md"),
            Self::Store => include_str!("../../../docs/errors/PV0006.md"),
            Self::UnknownRun => include_str!("../../../docs/errors/PV0007.md"),
            Self::Decision => include_str!("../../../docs/errors/PV0008.md"),
            Self::Busy => include_str!("../../../docs/errors/PV0009.md"),
            Self::Run => include_str!("../../../docs/errors/PV0010.md"),
            Self::Journal => include_str!("../../../docs/errors/PV0011.md"),
            Self::File => include_str!("../../../docs/errors/PV0012.md"),
            Self::Machine => include_str!("../../../docs/errors/PV0013.md"),
            Self::Output => include_str!("../../../docs/errors/PV0014.md"),
            Self::UnknownSession => include_str!("../../../docs/errors/PV0015.md"),
            Self::InsideRun => include_str!("../../../docs/errors/PV0016.md"),
            Self::Governed => include_str!("../../../docs/errors/PV0017.md"),
        }
    }

    /// Parses a code.
    pub fn of(word: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|code| code.word().eq_ignore_ascii_case(word))
    }
}

/// An error: a stable code, a sentence, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// What is wrong, and where.
    pub message: String,
    /// The location of the mistake, with which the message begins: `provost.toml:38`.
    pub place: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether what the command names does not exist, so that nothing was done.
    pub names_nothing: bool,
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: None, hint: None, names_nothing: false }
    }

    /// Marks that the command names something that does not exist: nothing was done.
    pub fn names_nothing(self) -> Self {
        Self { names_nothing: true, ..self }
    }

    /// Returns an error and its sources as one text.
    pub fn of(code: Code, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message = format!("{message}: {error}");
            cause = error.source();
        }
        Self::new(code, message)
    }

    /// The storage failed during use.
    pub fn storage(fault: &Fault) -> Self {
        let failure = Self::of(Code::Store, fault);
        match advice(fault) {
            Some(advice) => failure.hint(advice),
            None => failure,
        }
    }

    /// A file or folder of Provost cannot be written.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        let failure = Self::new(Code::Store, format!("{} cannot be written: {error}", path.display()));
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failure.hint("free some space"),
            _ => failure.hint("go to a folder that can be written, or set PROVOST_DATABASE_URL"),
        }
    }

    /// The machine lacks a resource that the program needs.
    pub fn machine(message: &str) -> Self {
        Self::new(Code::Machine, message)
    }

    /// Adds the location of the mistake in a file.
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self.place = Some(place.to_owned());
        self
    }

    /// Returns the message without the location.
    pub fn what(&self) -> &str {
        let place = self.place.as_deref().and_then(|place| self.message.strip_prefix(place));
        place.map_or(&self.message, |rest| rest.trim_start_matches([':', ' ']))
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Returns the hint for failing storage.
pub fn advice(fault: &Fault) -> Option<&'static str> {
    match fault {
        Fault::Busy { .. } => Some("try again when it is done"),
        Fault::Full { .. } => Some("free some space"),
        Fault::ReadOnly { .. } => Some("check the permissions of the file and its folder"),
        Fault::Corrupt { .. } => Some("restore it from a backup"),
        Fault::Closed | Fault::Failed(_) | Fault::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_page() {
        for code in Code::VARIANTS {
            let title = code.page().lines().next().unwrap_or_default();
            assert!(title.starts_with(&format!("# {}: ", code.word())), "{title}");
            assert_eq!(Code::of(&code.word().to_lowercase()), Some(*code));
        }
        assert_eq!(Code::of("PV9999"), None);
    }
}
