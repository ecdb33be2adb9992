//! Named models: each agent uses its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_runtime::port::{Boxed, Model, ModelError, Reservation, TurnAnswer, TurnRequest};

/// The settings key with the name of an agent's model.
const NAME: &str = "named";

/// A default model, and others by name.
#[derive(Clone, Default)]
pub(crate) struct NamedModels {
    pub(crate) default: Option<Arc<dyn Model>>,
    pub(crate) named: BTreeMap<String, Arc<dyn Model>>,
}

impl NamedModels {
    /// Adds the name of a model to the model settings of an agent.
    pub(crate) fn choose(wanted: &mut Object, name: &str) {
        wanted.insert(NAME.to_owned(), name.into());
    }

    /// Returns the selected model, and the settings for it.
    fn of(&self, wanted: &Object) -> Option<(&Arc<dyn Model>, Object)> {
        let model = match json::text(wanted, NAME) {
            Some(name) => self.named.get(name),
            None => self.default.as_ref(),
        };
        model.map(|model| (model, json::without(wanted, &[NAME])))
    }
}

impl Model for NamedModels {
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        match self.of(request.model) {
            Some((model, wanted)) => model.reserve(TurnRequest { model: &wanted, ..request }),
            None => Reservation::default(),
        }
    }

    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            let Some((model, wanted)) = self.of(request.model) else {
                let name = json::text(request.model, NAME).unwrap_or("without a name").to_owned();
                return Err(ModelError::new("no_model", format!("this runtime has no model {name}")));
            };
            model.turn(TurnRequest { model: &wanted, ..request }).await
        })
    }
}
