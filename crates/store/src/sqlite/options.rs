//! How a database file is opened.

/// Whether a file is opened for writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Read and write; the file and its folder are made when they are missing.
    #[default]
    Write,
    /// Look only; a missing file is an error.
    ReadOnly,
}

/// Whether the file is looked through for damage when it is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// Look through files below [`Check::BYTES_MAX`]; larger ones are left to an explicit check.
    #[default]
    WhenSmall,
    /// Look through the whole file, however long it takes.
    Always,
}

impl Check {
    /// Up to this size looking through costs too little to be noticed.
    pub const BYTES_MAX: u64 = 16 << 20;
}

/// How a database file is opened and kept.
#[derive(Clone, Debug)]
pub struct Options {
    pub access: Access,
    pub check: Check,
    /// How long to wait for another process before giving up.
    pub patience_ms: u64,
    /// How large the file may grow; the size of the disk when nothing is said.
    pub bytes_max: Option<u64>,
    /// How many reads may go on at once.
    pub readers: usize,
    /// How many writes may wait; more wait for room.
    pub queue_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            access: Access::default(),
            check: Check::default(),
            patience_ms: 10_000,
            bytes_max: None,
            readers: 2,
            queue_max: 1_024,
        }
    }
}
