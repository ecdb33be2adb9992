//! The hooks around a model call. Both decide: one that fails has refused.

use provost_contract::json::Object;
use provost_engine::event::Call;
use std::sync::Arc;

use super::{Boxed, HostError, Transcript};

/// A turn that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct ModelTurn<'a> {
    /// The turn.
    pub turn: u64,
    /// What the model would be shown.
    pub messages: &'a Transcript,
    /// The caller's context.
    pub context: &'a Object,
}

/// A response that was not read yet.
#[derive(Clone, Copy, Debug)]
pub struct SpokenTurn<'a> {
    /// The turn.
    pub turn: u64,
    /// What the model said.
    pub text: &'a str,
    /// What it calls, with redacted arguments.
    pub calls: &'a [Arc<Call>],
    /// The transcript, with the response.
    pub messages: &'a Transcript,
    /// The caller's context.
    pub context: &'a Object,
}

/// What a hook around a model call decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// It goes on.
    Pass,
    /// It goes on, and the model reads this first. Only before a model call.
    Say(String),
    /// It does not. Before a model call the run fails with this reason; after one the response is refused, and
    /// the model reads the reason and is asked again, as often as the run allows.
    Refuse(String),
}

/// Asked before every model call of a turn.
pub trait BeforeModel: Send + Sync {
    /// The decision. Asked again after a crash before the call was durable.
    fn before<'a>(&'a self, turn: ModelTurn<'a>) -> Boxed<'a, Result<Guard, HostError>>;
}

/// Asked about every response before it is read: none of its calls has begun.
pub trait AfterModel: Send + Sync {
    /// The decision. Asked again after a crash before it was durable.
    fn after<'a>(&'a self, turn: SpokenTurn<'a>) -> Boxed<'a, Result<Guard, HostError>>;
}
