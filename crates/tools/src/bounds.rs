//! How far a call may go by itself.

use std::fmt;

/// What a call may not come to on its way. That it may run at all was decided before; a walk then comes to
/// other places than the one it was given, and a redirect to other addresses.
pub trait Bounds: fmt::Debug + Send + Sync {
    /// Whether a walk of the tool leaves this place out, named from the root of the workspace.
    fn hides(&self, tool: &str, path: &str) -> bool;

    /// Whether no tool changes this place, named from the root of the workspace.
    fn guards(&self, _path: &str) -> bool {
        false
    }

    /// Whether the tool does not follow a redirect to this address.
    fn closes(&self, tool: &str, url: &str) -> bool;
}
