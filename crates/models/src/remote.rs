//! A model behind a provider's API.

use std::path::PathBuf;
use std::sync::Arc;

use provost_runtime::port::{Boxed, Clock, Delta, Model, ModelError, Reservation, TurnAnswer, TurnRequest};
use reqwest::Client;
use serde_json::Value;

use crate::answer::{self, Answer};
use crate::api::Api;
use crate::forecast;
use crate::request::{ProviderRequest, Sent};
use crate::wire::{Endpoint, Exchange};
use crate::{Delivery, Fault, Forecast, Forecasts, Recorder, Retry, Settings, Timeouts};

/// A model that is asked over HTTP. A model's configuration builds it.
pub struct Remote {
    pub(crate) api: Box<dyn Api>,
    pub(crate) client: Client,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) endpoint: Endpoint,
    pub(crate) settings: Settings,
    pub(crate) delivery: Delivery,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: Retry,
}

impl Remote {
    /// The same model, recorded into a file that never holds its key.
    #[must_use]
    pub fn recorded(self, path: PathBuf) -> Recorder<Self> {
        let key = self.endpoint.key().cloned();
        Recorder::new(self, path, key.into_iter().collect())
    }

    async fn ask(&self, request: TurnRequest<'_>) -> Result<TurnAnswer, ModelError> {
        let api = self.api.as_ref();
        let (ask, sent) = ProviderRequest::of(&request, &self.settings, api.shape())?;
        let exchange = self.exchange(&ask, &sent, &request)?;
        request.cache.put(sent);
        let mut hear = |delta: Delta<'_>| request.hearing.hear(delta);
        let read = |body: Value| answer::read(api, &ask, request.turn, &body);
        let received = exchange.run(read, &mut hear).await?;
        Answer::into_turn(received, api, &ask)
    }

    fn body(&self, ask: &ProviderRequest, sent: &Sent) -> Result<String, Fault> {
        let mut body = self.api.body(ask, self.delivery)?;
        body.extend(ask.settings.extra.clone());
        Ok(sent.text(&body, &ask.settings.extra))
    }

    fn exchange<'a>(
        &'a self,
        ask: &ProviderRequest,
        sent: &Sent,
        request: &TurnRequest<'_>,
    ) -> Result<Exchange<'a>, Fault> {
        Ok(Exchange {
            api: self.api.as_ref(),
            client: &self.client,
            clock: self.clock.as_ref(),
            endpoint: &self.endpoint,
            timeouts: self.timeouts,
            retry: self.retry,
            route: self.api.route(&ask.settings.model, self.delivery),
            body: self.body(ask, sent)?.into(),
            who: format!("{} {}", request.session.unwrap_or_default(), request.turn),
        })
    }
}

impl Forecasts for Remote {
    fn forecast(&self, request: &TurnRequest<'_>) -> Option<Forecast> {
        let settings = self.settings.changed_by(request.model).ok()?;
        Some(Forecast {
            prompt_tokens: forecast::prompt_tokens(request, &settings.extra),
            completion_tokens: self.api.tokens_max(&settings).unwrap_or(0),
            model: settings.model,
        })
    }
}

impl Model for Remote {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        self.forecast(&request).map(|forecast| forecast.reservation()).unwrap_or_default()
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(self.ask(request))
    }
}

impl From<Remote> for Arc<dyn Model> {
    fn from(model: Remote) -> Self {
        Arc::new(model)
    }
}
