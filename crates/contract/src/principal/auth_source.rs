//! How a request proved who sent it.

use strum::{EnumString, IntoStaticStr};

use super::CODE;
use crate::{ContractError, Result};

/// How the principal was authenticated; the wire words are the snake-case names.
#[derive(Clone, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum AuthSource {
    /// A person's own session.
    User,
    /// A password a person made for one application.
    ApplicationPassword,
    /// A bearer token of an agent.
    AgentToken,
    /// A visitor known only as one of an audience.
    Audience,
    /// A delegated runtime.
    Runtime,
    /// The host itself.
    System,
    /// A way this host declared for itself.
    #[strum(disabled)]
    Declared(String),
}

impl AuthSource {
    /// Reads a word every host knows, or one of those this host declares; case matters.
    pub(super) fn parse(word: &str, declared: &[String]) -> Result<Self> {
        let of_this_host =
            || declared.iter().any(|known| known == word).then(|| Self::Declared(word.to_owned()));
        word.parse()
            .ok()
            .or_else(of_this_host)
            .ok_or_else(|| ContractError::field(CODE, "auth_source", "must be a known authentication source"))
    }

    /// The wire word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Declared(word) => word,
            Self::User
            | Self::ApplicationPassword
            | Self::AgentToken
            | Self::Audience
            | Self::Runtime
            | Self::System => self.into(),
        }
    }
}

/// The sources behind which no person sits: automation, whatever user it acts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutonomousSources(Vec<String>);

impl AutonomousSources {
    /// A host's own list, instead of the usual one.
    pub fn listed(words: Vec<String>) -> Self {
        Self(words)
    }

    /// Whether requests from this source run on their own.
    pub fn contains(&self, source: &str) -> bool {
        self.0.iter().any(|word| word == source)
    }
}

impl Default for AutonomousSources {
    fn default() -> Self {
        let usual = [AuthSource::System, AuthSource::Runtime, AuthSource::AgentToken];
        Self(usual.map(|source| source.as_str().to_owned()).into())
    }
}
