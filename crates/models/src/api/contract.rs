//! The questions every provider answers.

use std::borrow::Cow;

use provost_contract::json::Object;
use provost_contract::provider::Provider;
use serde_json::Value;

use super::{Assembler, Finish, Usage};
use crate::delivery::Delivery;
use crate::request::ProviderRequest;
use crate::{Fault, Settings};

/// Where requests go, below the base URL.
pub(crate) struct Route {
    pub(crate) segments: Vec<String>,
    pub(crate) query: Option<&'static str>,
}

/// The header a key goes into, and what stands before it there.
pub(crate) struct KeyHeader {
    pub(crate) name: &'static str,
    pub(crate) before: &'static str,
}

/// A provider's way of writing.
pub(crate) trait Api: Send + Sync {
    /// How it writes transcripts.
    fn shape(&self) -> Provider;

    /// Where a request to a model goes.
    fn route(&self, model: &str, delivery: Delivery) -> Route;

    /// Where the key goes.
    fn key_header(&self) -> KeyHeader;

    /// Headers every request has.
    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The body of a request.
    fn body(&self, ask: &ProviderRequest, delivery: Delivery) -> Result<Object, Fault>;

    /// How many tokens an answer may have; none when nothing limits it.
    fn tokens_max(&self, settings: &Settings) -> Option<u64> {
        settings.max_tokens
    }

    /// What puts a streamed answer together.
    fn assembler(&self) -> Box<dyn Assembler>;

    /// The part of an answer that the shape's `decode` reads.
    fn said<'a>(&self, body: &'a Value) -> Cow<'a, Value> {
        Cow::Borrowed(body)
    }

    /// Why the answer ended.
    fn finish(&self, body: &Value) -> Finish;

    /// What it cost in tokens.
    fn usage(&self, body: &Value) -> Usage;

    /// The provider's id of the answer.
    fn answer_id<'a>(&self, body: &'a Value) -> Option<&'a str> {
        body.get("id").and_then(Value::as_str)
    }

    /// The model that answered, as the provider names it.
    fn answer_model<'a>(&self, body: &'a Value) -> Option<&'a str> {
        body.get("model").and_then(Value::as_str)
    }
}

impl Route {
    /// A path that is always the same.
    pub(super) fn fixed(segments: &[&str]) -> Self {
        Self { segments: segments.iter().map(|segment| (*segment).to_owned()).collect(), query: None }
    }
}

impl KeyHeader {
    /// The header OpenAI made usual.
    pub(super) const BEARER: Self = Self { name: "authorization", before: "Bearer " };
}
