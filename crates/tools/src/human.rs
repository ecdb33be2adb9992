//! `human/ask`: a question that a person outside the run answers.
//!
//! Asking is all that happens here. The run is parked with a request, a person's client finds it among the
//! pending ones and hands in the answer, which becomes the result of the call.

use provost_contract::Result;
use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Boxed, ToolAction};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::declare::Described;
use crate::schema::{read, schema_of};
use crate::{Refusal, Reply, Tool};

const DESCRIBED: Described<'static> = Described {
    name: "human/ask",
    description: "Asks the person you work for and waits for the answer. Ask only what you cannot find out \
                  yourself, one question at a time.",
    effects: &[SideEffect::None],
    // The request is named after the call: asked again, it is the same question.
    idempotency: Idempotency::Keyed,
    categories: &["human"],
};
/// Handing the question over takes no time; the answer may take days.
const MS_MAX: u64 = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the shape is checked here; the person's client reads the values")]
struct Parameters {
    /// The question, with everything a person needs to answer it.
    question: String,
    /// Answers to choose from; any answer when left out.
    options: Option<Vec<String>>,
}

pub(crate) struct Ask(ToolDeclaration);

impl Ask {
    pub(crate) fn new() -> Result<Self> {
        DESCRIBED.declare(schema_of::<Parameters>(), MS_MAX).map(Self)
    }
}

impl Tool for Ask {
    fn declaration(&self) -> &ToolDeclaration {
        &self.0
    }

    fn run<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Reply, Refusal>> {
        Box::pin(std::future::ready(read::<Parameters>(&action.call.parameters).map(|_| Reply::Waits)))
    }
}
