//! Where Gemini is asked.

use std::borrow::Cow;

use provost_contract::json::Object;
use provost_contract::provider::Provider;
use serde_json::{Value, json};

use super::{read, stream, write};
use crate::Fault;
use crate::api::{Api, Assembler, Finish, KeyHeader, Route, Usage};
use crate::delivery::Delivery;
use crate::request::ProviderRequest;

/// Gemini.
pub(in crate::api) struct Gemini;

impl Api for Gemini {
    fn shape(&self) -> Provider {
        Provider::Gemini
    }

    /// The model stands in the path; a tuned one says itself which collection it is in.
    fn route(&self, model: &str, delivery: Delivery) -> Route {
        let (method, query) = match delivery {
            Delivery::Streamed => ("streamGenerateContent", Some("alt=sse")),
            Delivery::Whole => ("generateContent", None),
        };
        let (collection, name) = model.split_once('/').unwrap_or(("models", model));
        Route { segments: vec![collection.to_owned(), format!("{name}:{method}")], query }
    }

    /// In a header: a key in the address would stand in every log on the way.
    fn key_header(&self) -> KeyHeader {
        KeyHeader { name: "x-goog-api-key", before: "" }
    }

    fn body(&self, ask: &ProviderRequest, _delivery: Delivery) -> Result<Object, Fault> {
        Ok(write::body(ask))
    }

    fn assembler(&self) -> Box<dyn Assembler> {
        Box::new(stream::Stream::default())
    }

    /// A model that said nothing sends no content at all.
    fn said<'a>(&self, body: &'a Value) -> Cow<'a, Value> {
        match body.pointer("/candidates/0/content") {
            Some(_) => Cow::Borrowed(body),
            None => Cow::Owned(json!({ "contents": [] })),
        }
    }

    fn finish(&self, body: &Value) -> Finish {
        read::finish(body)
    }

    fn usage(&self, body: &Value) -> Usage {
        read::usage(body)
    }

    fn answer_id<'a>(&self, body: &'a Value) -> Option<&'a str> {
        body.get("responseId").and_then(Value::as_str)
    }

    fn answer_model<'a>(&self, body: &'a Value) -> Option<&'a str> {
        body.get("modelVersion").and_then(Value::as_str)
    }
}
