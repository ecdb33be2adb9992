//! Where Chat Completions are asked.

use provost_contract::json::Object;
use provost_contract::provider::Provider;
use serde_json::Value;

use super::{read, stream, write};
use crate::Fault;
use crate::api::{Api, Assembler, Finish, KeyHeader, Route, Usage};
use crate::delivery::Delivery;
use crate::request::ProviderRequest;

/// Chat Completions, of OpenAI or of a server compatible with them.
pub(in crate::api) struct OpenaiChat {
    /// The field that limits the tokens of an answer: OpenAI renamed it, others kept the old name.
    pub(in crate::api) limit: &'static str,
}

impl Api for OpenaiChat {
    fn shape(&self) -> Provider {
        Provider::OpenaiChat
    }

    fn route(&self, _model: &str, _delivery: Delivery) -> Route {
        Route::fixed(&["chat", "completions"])
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::BEARER
    }

    fn body(&self, ask: &ProviderRequest, delivery: Delivery) -> Result<Object, Fault> {
        write::body(ask, delivery, self.limit)
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
