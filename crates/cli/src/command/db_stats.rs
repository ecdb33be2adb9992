//! `provost db stats`: prints the size of the database.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use provost_project::DataDir;
use provost_runtime::store::StoreStats;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

/// A log of this size should have been copied into the database.
const LOG_BYTES_EXPECTED: u64 = 64 << 20;

pub(crate) async fn run(start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let data = DataDir::find(start)?;
    let stats = data.look()?.stats().await.map_err(|fault| Failure::storage(&fault))?;
    let sizes = Sizes::of(data.database());
    let warning = warning(&stats, &sizes);
    let document = json!({
        "database": data.database().display().to_string(),
        "runs": stats.runs,
        "open": stats.open,
        "owned": stats.owned,
        "waits": stats.waits,
        "sessions": stats.sessions,
        "records": stats.records,
        "artifacts": stats.artifacts,
        "artifact_bytes": stats.artifact_bytes,
        "database_bytes": sizes.database,
        "log_bytes": sizes.log,
        "warning": warning,
    });
    screen.show(&document, || text(data.database(), &stats, &sizes));
    if let Some(warning) = warning {
        screen.tell(&format!("warning: {warning}"));
    }
    Ok(Exit::Done)
}

/// The sizes of the files.
struct Sizes {
    database: u64,
    log: u64,
}

impl Sizes {
    fn of(database: &Path) -> Self {
        let bytes = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
        let mut log = OsString::from(database);
        log.push("-wal");
        Self { database: bytes(database), log: bytes(Path::new(&log)) }
    }
}

fn warning(stats: &StoreStats, sizes: &Sizes) -> Option<String> {
    let problem = stats.checkpoint_problem.as_ref();
    let large = (sizes.log > LOG_BYTES_EXPECTED).then(|| {
        format!(
            "the log beside the database has {}: a process reads and does not end, or the disk is full",
            units(sizes.log)
        )
    });
    problem.map(|problem| format!("the log could not be copied into the database: {problem}")).or(large)
}

fn text(database: &Path, stats: &StoreStats, sizes: &Sizes) -> String {
    let lines = [
        ("database", database.display().to_string()),
        ("runs", format!("{} ({} not ended, {} being worked on)", stats.runs, stats.open, stats.owned)),
        ("records", stats.records.to_string()),
        ("waits", format!("{} without an answer", stats.waits)),
        ("sessions", stats.sessions.to_string()),
        ("artifacts", format!("{} ({} before compression)", stats.artifacts, units(stats.artifact_bytes))),
        ("on disk", format!("{} ({} of it the log)", units(sizes.database + sizes.log), units(sizes.log))),
    ];
    lines.map(|(name, value)| format!("{name:<10} {value}")).join("\n")
}

/// Formats a number of bytes.
pub(super) fn units(bytes: u64) -> String {
    let mut unit = "B";
    let mut scaled = bytes.saturating_mul(10);
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if scaled < 10_240 {
            break;
        }
        (unit, scaled) = (larger, scaled / 1_024);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{}.{} {unit}", scaled / 10, scaled % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_the_largest_unit_that_fits() {
        let shown = [0, 1_023, 1_024, 1_536, 5 << 20, (3 << 30) + (1 << 29)].map(units);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "5.0 MiB", "3.5 GiB"]);
    }

    #[test]
    fn a_log_that_is_not_copied_is_a_warning() {
        let sizes = |log| Sizes { database: 1, log };
        assert_eq!(warning(&StoreStats::default(), &sizes(LOG_BYTES_EXPECTED)), None);
        assert!(warning(&StoreStats::default(), &sizes(LOG_BYTES_EXPECTED + 1)).is_some());
        let problem = StoreStats { checkpoint_problem: Some("disk".to_owned()), ..StoreStats::default() };
        assert!(warning(&problem, &sizes(0)).is_some_and(|warning| warning.ends_with(": disk")));
    }
}
