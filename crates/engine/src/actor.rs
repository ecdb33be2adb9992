//! Who did what an event records.

use serde::{Deserialize, Serialize};

/// What kind of actor it is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    Person,
    /// A program that executes client tools or calls an API.
    Client,
    /// Another run.
    Run,
    /// The model.
    Model,
    /// The runtime itself.
    Runtime,
    /// The clock, when a due time has passed.
    Clock,
}

/// Who did something, and through which door.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// What kind of actor it is.
    pub kind: ActorKind,
    /// Its name, such as `user:ada` or the id of a run; empty for the runtime and the clock.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The door it came through, such as `cli` or `http`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub via: String,
}

impl Actor {
    /// Returns an actor of a kind with a name.
    pub fn new(kind: ActorKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into(), via: String::new() }
    }

    /// Returns the runtime.
    pub fn runtime() -> Self {
        Self::new(ActorKind::Runtime, "")
    }

    /// Returns the clock.
    pub fn clock() -> Self {
        Self::new(ActorKind::Clock, "")
    }

    /// Returns the actor with the door it came through.
    #[must_use]
    pub fn via(mut self, door: impl Into<String>) -> Self {
        self.via = door.into();
        self
    }
}
