//! Redaction profiles: how much a record for a given reader hides beyond credentials.

use serde_json::Value;
use strum::{EnumString, IntoStaticStr};

use super::name::is_credential_name;
use super::redact::{REDACTED, redact_where};

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

impl Profile {
    fn hides(self, name: &str) -> bool {
        let name_lower = name.to_lowercase();
        match self {
            Self::AuditMetadata | Self::ProviderProxy => {
                matches!(name_lower.as_str(), "key" | "value") || is_credential_name(name)
            }
            Self::BrowserEvent => is_credential_name(name),
            Self::PublicSessionDto => {
                !matches!(name_lower.as_str(), "secret_env" | "secretenv" | "secret_env_names")
                    && is_credential_name(name)
            }
        }
    }
}

/// Hides what a reader of this profile must not see. A profile nobody knows shows nothing at all.
pub fn redact_for(profile: &str, value: &Value) -> Value {
    match profile.parse::<Profile>() {
        Ok(profile) => redact_where(value, &|name| profile.hides(name)),
        Err(_) => REDACTED.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_profile_hides_both_headers_and_none_hides_an_ordinary_field() {
        let headers = json!({"Authorization": "a", "cookie": "b", "session_id": "s", "accept": "c"});
        for profile in ["audit_metadata", "provider_proxy", "browser_event", "public_session_dto"] {
            assert_eq!(
                redact_for(profile, &headers),
                json!({"Authorization": "[redacted]", "cookie": "[redacted]", "session_id": "s", "accept": "c"}),
                "{profile}"
            );
        }
    }

    #[test]
    fn an_unknown_profile_shows_nothing() {
        assert_eq!(redact_for("browser-event", &json!({"accept": "c"})), json!("[redacted]"));
    }

    #[test]
    fn names_of_variables_stay_readable_in_a_public_session_only() {
        let value = json!({"secret_env": ["A_KEY"], "secretEnv": ["B"], "secret": "s", "key": "k"});
        assert_eq!(
            redact_for("public_session_dto", &value),
            json!({"secret_env": ["A_KEY"], "secretEnv": ["B"], "secret": "[redacted]", "key": "k"})
        );
        assert_eq!(
            redact_for("audit_metadata", &value),
            json!({"secret_env": "[redacted]", "secretEnv": "[redacted]", "secret": "[redacted]", "key": "[redacted]"})
        );
    }
}
