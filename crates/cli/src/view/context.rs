//! The reader of lines, and the amount of detail.

use provost_engine::Actor;

/// How much of a program's output, and of a diff, is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The last lines of an output; a whole diff.
    #[default]
    Folded,
    /// Everything.
    Whole,
}

/// The context in which lines are made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// The reader, as records name them.
    pub(crate) me: String,
    /// The name of the run for commands.
    pub(crate) run: String,
    pub(crate) fold: Fold,
}

impl Context {
    /// Returns the name of an actor for this reader.
    pub(crate) fn name(&self, actor: &Actor) -> String {
        match actor.name() {
            name if name == self.me => "you".to_owned(),
            name => name.strip_prefix("user:").unwrap_or(name).to_owned(),
        }
    }
}
