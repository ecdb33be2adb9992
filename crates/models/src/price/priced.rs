//! A model whose turns say what they cost.

use std::sync::Arc;

use provost_contract::json;
use provost_contract::provider_turn::ProviderTurn;
use provost_runtime::port::{Boxed, Model, ModelError, Reservation, TurnAnswer, TurnRequest};

use super::PriceTable;
use crate::Forecasts;

/// Adds `cost_microusd` to the usage of every turn whose model has a price and whose tokens were counted.
pub struct Priced<M> {
    inner: M,
    prices: Arc<PriceTable>,
}

impl<M: Forecasts> Priced<M> {
    /// A model and the prices.
    pub fn new(inner: M, prices: Arc<PriceTable>) -> Self {
        Self { inner, prices }
    }

    fn add_cost(&self, turn: &mut ProviderTurn) {
        let price = json::text(&turn.request_metadata, "model").and_then(|model| self.prices.price(model));
        if let Some(cost) = price.and_then(|price| price.cost_microusd(&turn.usage)) {
            turn.usage.insert("cost_microusd".to_owned(), cost.into());
        }
    }
}

impl<M: Forecasts> Model for Priced<M> {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        let Some(forecast) = self.inner.forecast(&request) else { return self.inner.reserve(request) };
        let price = self.prices.price(&forecast.model);
        let cost_microusd = price.map_or(0, |price| price.forecast_microusd(&forecast));
        Reservation { cost_microusd, ..forecast.reservation() }
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            let mut answer = self.inner.turn(request).await?;
            match &mut answer {
                TurnAnswer::Provider(turn) => self.add_cost(turn),
                // A host that talks to models itself counts its money itself.
                TurnAnswer::Host(_) => {}
            }
            Ok(answer)
        })
    }
}

impl<M: Forecasts + 'static> From<Priced<M>> for Arc<dyn Model> {
    fn from(model: Priced<M>) -> Self {
        Arc::new(model)
    }
}
