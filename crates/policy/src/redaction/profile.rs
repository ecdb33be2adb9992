//! Redaction profiles: how much a record for a given reader hides beyond credentials.

use provost_contract::sensitivity::is_credential_name;
use strum::{EnumString, IntoStaticStr};

/// Who reads a record. Every profile hides credentials, the headers `authorization` and `cookie` among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Profile {
    /// Metadata of an audit record; a generic `key` or `value` may be anything and is hidden.
    AuditMetadata,
    /// What passes between a sandbox and a provider; hides what an audit record hides.
    ProviderProxy,
    /// Events a browser sees.
    BrowserEvent,
    /// The public description of a session; lists of variable *names* stay readable.
    PublicSessionDto,
}

/// Why a name is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Rule {
    /// The name is that of a credential.
    CredentialName,
    /// The name says nothing about its value, which may be a credential.
    GenericName,
}

impl Profile {
    /// The rule by which this profile hides the value of a name; none when it shows it.
    pub(super) fn hides(self, name: &str) -> Option<Rule> {
        let lower = name.to_lowercase();
        let generic = matches!(lower.as_str(), "key" | "value");
        let lists_names = matches!(lower.as_str(), "secret_env" | "secretenv" | "secret_env_names");
        match self {
            Self::AuditMetadata | Self::ProviderProxy if generic => Some(Rule::GenericName),
            Self::PublicSessionDto if lists_names => None,
            Self::AuditMetadata | Self::ProviderProxy | Self::BrowserEvent | Self::PublicSessionDto => {
                is_credential_name(name).then_some(Rule::CredentialName)
            }
        }
    }
}
