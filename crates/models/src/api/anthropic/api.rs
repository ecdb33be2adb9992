//! Where Anthropic listens and what it is told every time.

use provost_contract::json::Object;
use provost_contract::provider::Provider;
use serde_json::Value;

use super::{read, stream, write};
use crate::api::{Api, Assembler, Finish, KeyHeader, Route, Usage};
use crate::delivery::Delivery;
use crate::request::ProviderRequest;
use crate::{Fault, Settings};

/// Anthropic Messages.
pub(in crate::api) struct Anthropic;

impl Api for Anthropic {
    fn shape(&self) -> Provider {
        Provider::Anthropic
    }

    fn route(&self, _model: &str, _delivery: Delivery) -> Route {
        Route::fixed(&["messages"])
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "x-api-key", before: "" }
    }

    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn body(&self, ask: &ProviderRequest, delivery: Delivery) -> Result<Object, Fault> {
        Ok(write::body(ask, delivery))
    }

    fn tokens_max(&self, settings: &Settings) -> Option<u64> {
        Some(write::max_tokens(settings))
    }

    fn assembler(&self) -> Box<dyn Assembler> {
        Box::new(stream::Stream::default())
    }

    fn finish(&self, body: &Value) -> Finish {
        read::finish(body)
    }

    fn usage(&self, body: &Value) -> Usage {
        read::usage(body)
    }
}
