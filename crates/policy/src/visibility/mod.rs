//! Which of the gathered tools a model may see.
//!
//! Every layer speaks about every tool on its own; the strictest word counts. So no order of layers can
//! bring back what one of them hid, and each tool can say which layer hid or showed it. Seeing a tool is
//! not being allowed to use it: authorisation and action policy come after.

mod attendance;
mod context;
mod fragment;
mod layers;
mod resolve;

pub use context::Context;
pub use fragment::Fragment;
pub use layers::{Layer, Visibility};
pub use resolve::{ToolVisibility, resolve};
