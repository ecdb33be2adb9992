//! The record of an agent that a package or a person installed.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use super::{CODE, instance_key};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose, slug};

/// How an installed agent stands; the wire words are the snake-case names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum InstalledStatus {
    /// As it came.
    #[default]
    Installed,
    /// Brought to a newer version.
    Updated,
    /// Kept, but not used.
    Disabled,
    /// Taken away.
    Removed,
    /// Shown as if it were installed.
    Projected,
}

/// An installed agent.
#[derive(Clone, Debug, PartialEq)]
pub struct InstalledAgent {
    /// Never blank.
    id: String,
    /// Never empty.
    agent_slug: String,
    owner: Option<UserId>,
    /// Never empty.
    instance_key: String,
    /// What it is configured to do.
    pub config: Object,
    /// Where it comes from.
    pub meta: Object,
    /// How it stands.
    pub status: InstalledStatus,
    package_slug: Option<String>,
    /// The version of its package.
    pub package_version: Option<String>,
    /// When it was installed, in the store's words.
    pub created_at: Option<String>,
    /// When it last changed, in the store's words.
    pub updated_at: Option<String>,
}

impl InstalledAgent {
    /// Reads a record.
    pub fn parse(raw: &Object) -> Result<Self> {
        let text = |key| raw.get(key).and_then(loose::text);
        Ok(Self {
            id: text("id").ok_or_else(|| refused("id cannot be empty", "id"))?,
            agent_slug: optional_slug(raw, "agent_slug", "slug cannot be empty")?
                .ok_or_else(|| refused("slug cannot be empty", "agent_slug"))?,
            owner: owner(raw),
            instance_key: instance_key::of_installed(&text("instance_key").unwrap_or_default()),
            config: json::object_or_empty(raw, "config"),
            meta: json::object_or_empty(raw, "meta"),
            status: parse_status(raw)?,
            package_slug: optional_slug(raw, "package_slug", "package slug cannot be empty")?,
            package_version: text("package_version"),
            created_at: text("created_at"),
            updated_at: text("updated_at"),
        })
    }

    /// The map key `<slug>:<owner or none>:<instance>`.
    pub fn key(&self) -> String {
        let owner = self.owner.map_or_else(|| "none".to_owned(), |owner| owner.to_string());
        format!("{}:{owner}:{}", self.agent_slug, self.instance_key)
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "agent_slug": self.agent_slug,
            "owner_user_id": self.owner,
            "instance_key": self.instance_key,
            "config": self.config,
            "meta": self.meta,
            "status": self.status,
            "package_slug": self.package_slug,
            "package_version": self.package_version,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
        })
    }
}

/// Whose an installed agent is: nobody in particular when it says null, nobody when it says nonsense.
pub(super) fn owner(raw: &Object) -> Option<UserId> {
    json::present(raw, "owner_user_id").map(|owner| UserId::numeric(owner).unwrap_or_default())
}

fn optional_slug(raw: &Object, key: &str, reason: &str) -> Result<Option<String>> {
    let Some(text) = raw.get(key).and_then(loose::text) else { return Ok(None) };
    Some(slug(&text)).filter(|slug| !slug.is_empty()).map(Some).ok_or_else(|| refused(reason, key))
}

fn parse_status(raw: &Object) -> Result<InstalledStatus> {
    let Some(status) = json::present(raw, "status") else { return Ok(InstalledStatus::default()) };
    let word = loose::text(status).unwrap_or_default();
    word.parse().map_err(|_| refused("status is invalid", "status"))
}

fn refused(reason: &str, field: &str) -> ContractError {
    ContractError::with_message(CODE, format!("Installed agent {reason}.")).about(field)
}
