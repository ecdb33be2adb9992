//! What a model says in a turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_engine::event::{ActionSpec, Call, Choice, Declaration, ExecutorKind, Parsed, Step};
use provost_engine::{ActionId, Args, Fault, ModelAnswer, ModelFault, ModelResponse, Payload, Usage};
use provost_runtime::actor::ModelReply;
use serde_json::{Value, json};

/// One turn of the model.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    Says(&'static str),
    /// Native calls: label, tool, bed.
    Calls(Vec<(&'static str, &'static str, i64)>),
    /// A graph.
    Acts(Vec<Step>),
    Decides(Vec<(ActionId, Choice)>),
    /// A declaration that cannot be read.
    Garbles,
    /// An answer to the user, in protocol mode.
    Answers(&'static str),
    Fails {
        retry: bool,
    },
}

pub(super) fn calls<const N: usize>(calls: [(&'static str, &'static str, i64); N]) -> Turn {
    Turn::Calls(calls.to_vec())
}

pub(super) fn says(text: &'static str) -> Turn {
    Turn::Says(text)
}

/// A step of a graph.
pub(super) fn step(operation: &str, kind: ExecutorKind) -> Step {
    let mut spec = ActionSpec::new(ActionId { declaration: 0, index: 0 }, operation, kind);
    spec.label = operation.to_owned();
    Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() }
}

/// A step that a tool carries out, with the facts of its effects.
pub(super) fn tool(operation: &str, label: &str, facts: Value) -> Step {
    let mut made = step(operation, ExecutorKind::Tool);
    made.spec.label = label.to_owned();
    made.spec.facts = serde_json::from_value(facts).unwrap_or_default();
    made
}

pub(super) fn after(mut step: Step, depends_on: impl Into<Vec<u32>>) -> Step {
    step.depends_on = depends_on.into();
    step
}

impl Turn {
    pub(super) fn reply(&self) -> ModelReply {
        let usage = Some(Usage::of("tokens", 7));
        let responded = |response: ModelResponse| ModelReply {
            answer: ModelAnswer::Responded(Box::new(response)),
            raw: Vec::new(),
        };
        let declared = |declaration: Declaration| {
            let declaration = Some(Parsed::Declared(Box::new(declaration)));
            responded(ModelResponse { declaration, usage: usage.clone(), ..ModelResponse::default() })
        };
        match self {
            Self::Says(text) => {
                let messages = vec![Arc::new(Message::text("assistant", *text))];
                responded(ModelResponse { messages, usage, ..ModelResponse::default() })
            }
            Self::Calls(calls) => called(calls, usage),
            Self::Acts(add) => {
                let intent = "act".to_owned();
                let reply = declared(Declaration { intent, add: add.clone(), ..Declaration::default() });
                ModelReply { raw: add.iter().map(|_| Object::new()).collect(), ..reply }
            }
            Self::Decides(decide) => {
                let (intent, decide) = ("decide".to_owned(), decide.clone());
                declared(Declaration { intent, decide, ..Declaration::default() })
            }
            Self::Answers(text) => {
                let (intent, answer) = ("answer".to_owned(), Some(Payload::inline(*text)));
                declared(Declaration { intent, answer, ..Declaration::default() })
            }
            Self::Garbles => {
                let fault = Fault::new("malformed", "It is no declaration.");
                let declaration = Some(Parsed::Malformed { fault });
                responded(ModelResponse { declaration, usage, ..ModelResponse::default() })
            }
            Self::Fails { retry } => {
                let fault = ModelFault::new("overloaded", "The provider is overloaded.");
                let fault = ModelFault { retry_in_ms: retry.then_some(100), ..fault };
                ModelReply { answer: ModelAnswer::Failed(Box::new(fault)), raw: Vec::new() }
            }
        }
    }
}

fn called(calls: &[(&'static str, &'static str, i64)], usage: Option<Usage>) -> ModelReply {
    let arguments = |bed: &i64| json!({ "bed": bed }).as_object().cloned().unwrap_or_default();
    let call = |(label, tool, bed): &(&str, &str, i64)| {
        Arc::new(Call {
            label: (*label).to_owned(),
            name: (*tool).to_owned(),
            called: None,
            args: Args::open(arguments(bed)),
            unprepared: None,
        })
    };
    let raw = calls.iter().map(|(_, _, bed)| arguments(bed)).collect();
    let response =
        ModelResponse { calls: calls.iter().map(call).collect(), usage, ..ModelResponse::default() };
    ModelReply { answer: ModelAnswer::Responded(Box::new(response)), raw }
}
