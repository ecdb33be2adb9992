//! Recording a model, and playing the recording in its place.
//!
//! A cassette is one readable JSON file: for each turn what was asked and what was answered. A player
//! compares what it is asked with what was asked then, so that a changed prompt is noticed, and needs no
//! network and no key. Turns are found by their request, so a cassette may hold several ways a
//! conversation can go.

mod difference;
mod entry;
mod error;
mod file;
mod fit;
mod origin;
mod player;
mod recorder;
mod replay_in_order;
mod request;
mod scrub;

pub use error::CassetteError;
pub use file::Cassette;
pub use origin::Origin;
pub use player::Player;
pub use recorder::Recorder;
pub use replay_in_order::ReplayInOrder;
