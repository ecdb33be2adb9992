//! What both APIs of OpenAI write alike.

use provost_contract::structured_output::StructuredOutputRequest;
use serde_json::Value;

use crate::{Fault, FaultKind, ParallelCalls, Reasoning, Settings};

/// How hard to think: OpenAI knows words only.
pub(super) fn effort(reasoning: Reasoning) -> Result<&'static str, Fault> {
    match reasoning {
        Reasoning::Effort(effort) => Ok(effort.into()),
        Reasoning::BudgetTokens(_) => {
            let why =
                "this provider takes a reasoning effort (minimal, low, medium, high), not a budget of tokens";
            Err(Fault::new(FaultKind::BadRequest, why))
        }
    }
}

/// The field that forbids several calls at once, when they are forbidden.
pub(super) fn parallel_calls(settings: &Settings) -> Option<(String, Value)> {
    match settings.parallel_calls {
        ParallelCalls::Allowed => None,
        ParallelCalls::OneAtATime => Some(("parallel_tool_calls".to_owned(), false.into())),
    }
}

/// OpenAI wants every schema to have a name.
pub(super) fn schema_name(wanted: &StructuredOutputRequest) -> &str {
    wanted.name().unwrap_or("answer")
}
