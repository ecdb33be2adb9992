//! One run as an actor: what is due is started, what happened is decided about without waiting, and what
//! was decided is committed before anything acts on it.
//!
//! [`Performer`] is the edge to models, hooks and executors. [`RunActor`] owns a claimed run until it rests,
//! ends or is lost.

mod address;
mod arguments;
mod artifacts;
mod claim;
mod commit;
mod drain;
mod effects;
mod load;
mod patience;
mod performer;
mod rulings;
mod run;
mod seal;
mod signals;
mod sources;
mod tasks;

pub(crate) use address::find;
pub use address::{Address, AddressError, Selection};
pub use artifacts::INLINE_BYTES_MAX;
pub(crate) use load::session_transcript;
pub use load::{Agents, LoadError, LoadedRun, ReadRun};
pub use performer::{
    ActionView, Delta, DeltaSink, Exchange, Found, HookCall, LostAttempt, ModelCall, ModelReply, NewChild,
    Notes, Performer, Previewed, RunContext, Subject, Work,
};
pub use run::{ActorError, HandedIn, Lease, Parked, Release, RunActor, Shared};
pub use seal::{SealKey, SealKeyError};
pub use sources::Source;
