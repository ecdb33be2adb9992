//! A model as a person configures it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use provost_runtime::port::Clock;
use serde::{Deserialize, Serialize};

use crate::wire::{Endpoint, client};
use crate::{
    ApiKind, ClientError, Delivery, EndpointError, KeyError, Remote, Retry, Secret, Settings, Timeouts,
};

/// One model: who serves it, where, with which key, and how it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Which API to speak.
    pub provider: ApiKind,
    /// Where the API is; without it, where the provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The variable of the environment that holds the key; without it, the provider's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The file that holds the key, readable by its owner alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Headers to send beside our own. No place for keys: they are not kept secret.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether to stream.
    #[serde(default)]
    pub delivery: Delivery,
    /// How long a turn may take.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// How often to ask.
    #[serde(default)]
    pub retry: Retry,
    /// How it answers; the model stands here.
    pub settings: Settings,
}

/// Why a configuration gives no model.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// There is no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A server without a usual address was given none.
    #[error("provider {0} needs a base_url, such as http://localhost:11434/v1")]
    NoBaseUrl(ApiKind),
    /// Both a variable and a file were named.
    #[error("key_env and key_file are both set; name one")]
    TwoKeys,
    /// The address, the key or a header cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The machine cannot speak HTTP.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl ModelConfig {
    /// A model of a provider, everything else as usual.
    pub fn new(provider: ApiKind, model: impl Into<String>) -> Self {
        Self {
            provider,
            base_url: None,
            key_env: None,
            key_file: None,
            headers: BTreeMap::new(),
            delivery: Delivery::default(),
            timeouts: Timeouts::default(),
            retry: Retry::default(),
            settings: Settings::of(model),
        }
    }

    /// The model, with its key read from where the configuration says.
    ///
    /// # Errors
    /// When a key is missing or kept carelessly, or the address cannot be used.
    pub fn build(&self, clock: Arc<dyn Clock>) -> Result<Remote, ConfigError> {
        self.build_with(self.key()?, clock)
    }

    /// The model with this key.
    ///
    /// # Errors
    /// When the address cannot be used, or not with a key.
    pub fn build_with(&self, key: Option<Secret>, clock: Arc<dyn Clock>) -> Result<Remote, ConfigError> {
        let api = self.provider.api();
        let base_url = self.base_url.as_deref().or(self.provider.base_url());
        let base_url = base_url.ok_or(ConfigError::NoBaseUrl(self.provider))?;
        Ok(Remote {
            endpoint: Endpoint::new(api.as_ref(), base_url, key, &self.headers)?,
            client: client(self.timeouts)?,
            api,
            clock,
            settings: self.settings.clone(),
            delivery: self.delivery,
            timeouts: self.timeouts,
            retry: self.retry,
        })
    }

    /// The key, from the one place that is named. A server that usually has no key may go without.
    pub(crate) fn key(&self) -> Result<Option<Secret>, ConfigError> {
        match (&self.key_env, &self.key_file) {
            (Some(_), Some(_)) => Err(ConfigError::TwoKeys),
            (Some(variable), None) => Ok(Some(Secret::from_env(variable)?)),
            (None, Some(path)) => Ok(Some(Secret::from_file(path)?)),
            (None, None) => Ok(self.provider.key_variable().map(Secret::from_env).transpose()?),
        }
    }
}
