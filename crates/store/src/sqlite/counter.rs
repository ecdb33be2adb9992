//! Counters as SQLite keeps them: it knows signed numbers only, and no counter of ours gets that far.

pub(super) fn stored(counter: u64) -> i64 {
    i64::try_from(counter).unwrap_or(i64::MAX)
}

pub(super) fn counted(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}
