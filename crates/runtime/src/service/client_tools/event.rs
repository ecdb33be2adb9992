//! What observers hear of client tools.

use provost_contract::json::Object;
use serde_json::{Value, json};

/// Something that happened to a request, in wire form, with what the caller wanted said beside it.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientToolEvent {
    Created { request: Value, context: Object },
    Submitted { request: Value, result: Value, context: Object },
    TimedOut { request: Value, result: Value, context: Object },
    Resumed { request: Value, result: Value, continuation_result: Object, context: Object },
}

impl ClientToolEvent {
    /// The name observers know it by.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "agents_api_runtime_tool_request_created",
            Self::Submitted { .. } => "agents_api_runtime_tool_result_submitted",
            Self::TimedOut { .. } => "agents_api_runtime_tool_request_timed_out",
            Self::Resumed { .. } => "agents_api_runtime_tool_request_resumed",
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let event = self.name();
        match self {
            Self::Created { request, context } => {
                json!({ "event": event, "request": request, "context": context })
            }
            Self::Submitted { request, result, context } | Self::TimedOut { request, result, context } => {
                json!({ "event": event, "request": request, "result": result, "context": context })
            }
            Self::Resumed { request, result, continuation_result, context } => json!({
                "event": event, "request": request, "result": result,
                "continuation_result": continuation_result, "context": context,
            }),
        }
    }
}

/// Hears what happens to requests. It cannot change anything.
pub trait ClientToolEvents: Send + Sync {
    /// Takes note of an event.
    fn happened(&self, event: ClientToolEvent);
}
