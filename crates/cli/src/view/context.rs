//! Who reads, and how much of it.

use provost_engine::Actor;

/// How much of what a program printed, and of a diff, is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The last lines of an output; a diff to its end.
    #[default]
    Folded,
    /// Everything.
    Whole,
}

/// What lines are made for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// The person who reads, as records name them.
    pub(crate) me: String,
    /// What to type for the run.
    pub(crate) run: String,
    pub(crate) fold: Fold,
}

impl Context {
    /// An actor as this person calls it.
    pub(crate) fn name(&self, actor: &Actor) -> String {
        match actor.name() {
            name if name == self.me => "you".to_owned(),
            name => name.strip_prefix("user:").unwrap_or(name).to_owned(),
        }
    }
}
