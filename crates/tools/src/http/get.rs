//! The tool that reads an address.

use std::sync::Arc;

use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Boxed, ToolAction};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::HttpAccess;
use super::fetch::{Fetched, Fetcher};
use crate::declare::Described;
use crate::reply::counted;
use crate::schema::{read, schema_of};
use crate::{Bounds, Preview, Refusal, RegistryError, Reply, Tool};

const DESCRIBED: Described<'static> = Described {
    name: "http/get",
    description: "Reads a text from an http or https address whose host is on the list of this agent. \
                  Redirects are followed if the list allows where they lead.",
    // The address itself is sent to its server.
    effects: &[SideEffect::Read, SideEffect::Send],
    idempotency: Idempotency::Pure,
    categories: &["network"],
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The whole address, with its scheme.
    url: String,
}

pub(crate) struct Get {
    declaration: ToolDeclaration,
    fetcher: Fetcher,
}

impl Get {
    pub(crate) fn new(access: HttpAccess, bounds: Option<Arc<dyn Bounds>>) -> Result<Self, RegistryError> {
        let declaration = DESCRIBED.declare(schema_of::<Parameters>(), access.limits.ms_max)?;
        let closed =
            move |url: &str| bounds.as_ref().is_some_and(|bounds| bounds.closes(DESCRIBED.name, url));
        let fetcher =
            Fetcher::new(access, Box::new(closed)).map_err(|error| RegistryError::Http(error.into()))?;
        Ok(Self { declaration, fetcher })
    }

    async fn carry_out(&self, parameters: &Object) -> Result<Reply, Refusal> {
        let Parameters { url } = read(parameters)?;
        let fetched = self.fetcher.fetch(self.fetcher.checked(&url)?).await?;
        Ok(reply(&fetched))
    }

    fn would(&self, parameters: &Object) -> Result<Preview, Refusal> {
        let Parameters { url } = read(parameters)?;
        Ok(Preview::Request { url: self.fetcher.checked(&url)?.into() })
    }
}

/// An answer with an error status is an answer.
fn reply(fetched: &Fetched) -> Reply {
    let Fetched { url, status, content_type, text, is_cut } = fetched;
    let summary = format!("HTTP {status}, {}", counted(text.len(), "byte", "bytes"));
    let result = json!({
        "url": url.as_str(),
        "status": status,
        "content_type": content_type,
        "text": text,
        "truncated": is_cut,
    });
    Reply::done(summary, result)
}

impl Tool for Get {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn run<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Reply, Refusal>> {
        Box::pin(self.carry_out(&action.call.parameters))
    }

    fn preview<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Option<Preview>> {
        Box::pin(std::future::ready(Some(self.would(parameters).unwrap_or_else(Preview::from))))
    }
}
