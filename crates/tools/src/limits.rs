//! How much a tool may read, write, print and wait.

/// The limits of a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// For tools that work on files.
    pub files: FileLimits,
    /// For tools that run programs.
    pub processes: ProcessLimits,
}

/// The limits of tools that work on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// How large a file may be that is read, searched or written.
    pub file_bytes_max: u64,
    /// How much text one reading gives.
    pub read_bytes_max: usize,
    /// How many entries one listing gives.
    pub entries_max: usize,
    /// How many lines one search gives.
    pub matches_max: usize,
    /// How much of a found line is given.
    pub line_bytes_max: usize,
    /// How many entries one walk looks at.
    pub walked_max: usize,
    /// How deep a walk goes.
    pub depth_max: usize,
    /// How long any of it takes.
    pub ms_max: u64,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            file_bytes_max: 8 * 1024 * 1024,
            read_bytes_max: 64 * 1024,
            entries_max: 1_000,
            matches_max: 200,
            line_bytes_max: 300,
            walked_max: 200_000,
            depth_max: 64,
            ms_max: 30_000,
        }
    }
}

/// The limits of tools that run programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// How long a program may run that asks for no time.
    pub ms_default: u64,
    /// How long it may run whatever it asks for.
    pub ms_max: u64,
    /// How much is kept of each of its two outputs: the first and the last half of it.
    pub output_bytes_max: usize,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { ms_default: 120_000, ms_max: 600_000, output_bytes_max: 32 * 1024 }
    }
}
