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
    /// Where its word came from, as the system proves it; none when the door does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<ActorOrigin>>,
}

/// Where the word of an actor came from, as the operating system proves it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ActorOrigin {
    /// The user id of the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<u32>,
    /// The terminal; null says that there is none.
    #[serde(default)]
    pub terminal: Option<String>,
    /// The process: machine, number and begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The sign of the run whose program started the process, when a run did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by_a_run: Option<String>,
}

impl Actor {
    /// Returns an actor of a kind with a name.
    pub fn new(kind: ActorKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into(), via: String::new(), origin: None }
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

    /// Returns the actor with where its word came from.
    #[must_use]
    pub fn from_origin(mut self, origin: ActorOrigin) -> Self {
        self.origin = Some(Box::new(origin));
        self
    }

    /// Returns its name, or what it is when it has none.
    pub fn name(&self) -> &str {
        match self.kind {
            _ if !self.id.is_empty() => &self.id,
            ActorKind::Person => "a person",
            ActorKind::Client => "a client",
            ActorKind::Run => "a run",
            ActorKind::Model => "the model",
            ActorKind::Runtime => "the runtime",
            ActorKind::Clock => "the clock",
        }
    }
}

/// A person who came through the library.
impl From<&str> for Actor {
    fn from(id: &str) -> Self {
        Self::new(ActorKind::Person, id).via("library")
    }
}
