//! Whether a model answers: the smallest request there is, sent once.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolCatalog;
use provost_runtime::port::{Clock, Hearing, Model as _, ModelError, TurnCache, TurnRequest};

use crate::{ConfigError, FaultKind, ModelConfig, Retry, Settings};

/// How many tokens the answer may have: the fewest that every provider accepts.
const TOKENS: u64 = 16;

/// Why a model did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ReachError {
    /// The configuration gives no model; nothing was sent.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It was asked and gave no answer.
    #[error("{message}")]
    Model {
        /// The kind of failure.
        kind: FaultKind,
        /// What happened.
        message: String,
    },
}

impl ModelConfig {
    /// Asks the model for a word, once. What the model says does not matter, only that it speaks: a declined answer is one.
    ///
    /// # Errors
    /// When the configuration cannot be used, the provider is not reached, or it does not take the request.
    pub async fn reach(&self, clock: Arc<dyn Clock>) -> Result<(), ReachError> {
        let settings = Settings {
            max_tokens: Some(TOKENS),
            extra: self.settings.extra.clone(),
            ..Settings::of(&self.settings.model)
        };
        let retry = Retry { attempts_max: 1, ..self.retry };
        let model = Self { settings, retry, ..self.clone() }.build(clock)?;
        let messages = [Arc::new(Message::text("user", "Say ok."))].into_iter().collect();
        let (tools, nothing, cache) = (ToolCatalog::default(), Object::new(), TurnCache::default());
        let request = TurnRequest {
            turn: 1,
            turns_max: 1,
            session: None,
            messages: &messages,
            tools: &tools,
            carrier: None,
            context: &nothing,
            model: &nothing,
            structured_output: None,
            hearing: Hearing::default(),
            cache: &cache,
        };
        let Err(ModelError { kind, message, .. }) = model.turn(request).await else { return Ok(()) };
        match kind.parse().unwrap_or(FaultKind::MalformedAnswer) {
            FaultKind::Refused | FaultKind::ContextTooLong => Ok(()),
            kind => Err(ReachError::Model { kind, message }),
        }
    }
}
