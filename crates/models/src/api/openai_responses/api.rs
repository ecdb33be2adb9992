//! Where Responses are asked.

use std::borrow::Cow;

use provost_contract::json::Object;
use provost_contract::provider::Provider;
use serde_json::{Value, json};

use super::{read, stream, write};
use crate::Fault;
use crate::api::{Api, Assembler, Finish, KeyHeader, Route, Usage};
use crate::delivery::Delivery;
use crate::request::ProviderRequest;

/// OpenAI Responses.
pub(in crate::api) struct OpenaiResponses;

impl Api for OpenaiResponses {
    fn shape(&self) -> Provider {
        Provider::OpenaiResponses
    }

    fn route(&self, _model: &str, _delivery: Delivery) -> Route {
        Route::fixed(&["responses"])
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::BEARER
    }

    fn body(&self, ask: &ProviderRequest, delivery: Delivery) -> Result<Object, Fault> {
        write::body(ask, delivery)
    }

    fn assembler(&self) -> Box<dyn Assembler> {
        Box::new(stream::Stream::default())
    }

    /// An answer repeats the instructions it was given; only its output is new.
    fn said<'a>(&self, body: &'a Value) -> Cow<'a, Value> {
        Cow::Owned(json!({ "output": body.get("output").cloned().unwrap_or_else(|| json!([])) }))
    }

    fn finish(&self, body: &Value) -> Finish {
        read::finish(body)
    }

    fn usage(&self, body: &Value) -> Usage {
        read::usage(body)
    }
}
