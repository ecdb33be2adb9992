//! How a database file is opened.

use std::sync::Arc;

use provost_runtime::port::Clock;
use provost_runtime::system::SystemClock;

/// How a database file is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    /// The store's clock: leases, due times and all times in rows.
    pub clock: Arc<dyn Clock>,
    /// How long to wait for other processes before a write is `Busy`.
    pub patience_ms: u64,
    /// How many reads run at once.
    pub readers: usize,
    /// How large the file may grow.
    pub bytes_max: Option<u64>,
    /// Whether the file is searched for damage when it is opened.
    pub check: Check,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            patience_ms: 10_000,
            readers: 2,
            bytes_max: None,
            check: Check::default(),
        }
    }
}

/// Whether a file is searched for damage when it is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// Searches files up to [`Check::BYTES_MAX`].
    #[default]
    WhenSmall,
    /// Searches the whole file, however long that takes.
    Always,
}

impl Check {
    /// Up to this size the search is too short to be noticed.
    pub const BYTES_MAX: u64 = 16 << 20;
}
