//! Why storage itself failed, whatever was asked of it.

/// The cause of a fault, kept as it came.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Storage could not do its work. Only [`Fault::Unknown`] leaves open whether it was done.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Somebody else kept the storage busy past our patience. Nothing was written.
    #[error("the storage stayed busy for {waited_ms} ms ({holder})")]
    Busy { waited_ms: u64, holder: String },
    /// No room. Nothing was written.
    #[error("the storage is full: {place}")]
    Full { place: String },
    /// The storage may only be read. Nothing was written.
    #[error("the storage is read-only: {place}")]
    ReadOnly { place: String },
    /// What is stored cannot be what was written.
    #[error("what is stored in {place} is damaged: {problem}")]
    Corrupt { place: String, problem: String },
    /// The storage was closed before the work began. Nothing was written.
    #[error("the storage is closed")]
    Closed,
    /// The work failed as a whole. Nothing was written.
    #[error("the storage failed")]
    Failed(#[source] BoxError),
    /// The storage went away in the middle.
    #[error("the storage went away; what was asked of it may or may not have happened")]
    Unknown(#[source] BoxError),
}

/// What the caller of a failed operation does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Wait a little and do the very same again.
    RetryLater,
    /// Read what is there now, then decide again.
    Reload,
    /// Stop working on this run: it is somebody else's.
    LetGo,
    /// Look at the end of the journal first: the write may have happened.
    ReadTail,
    /// Give up and tell a person.
    Stop,
}

impl Fault {
    /// What the caller does next. [`Fault::Unknown`] is never repeated blindly.
    pub fn advice(&self) -> Advice {
        match self {
            Self::Busy { .. } => Advice::RetryLater,
            Self::Unknown(_) => Advice::ReadTail,
            Self::Full { .. }
            | Self::ReadOnly { .. }
            | Self::Corrupt { .. }
            | Self::Closed
            | Self::Failed(_) => Advice::Stop,
        }
    }
}
